import { AppError } from '../../utils/errors';
import { phrase, type Phrase } from '../../utils/l10n';

export type AgentErrorCode =
  | 'sessionBusy'
  | 'sessionElsewhere'
  | 'sessionNotFound'
  | 'nothingToAnswer'
  | 'messageGone'
  | 'approvalGone'
  | 'sandboxChoice'
  | 'nothingToEdit'
  | 'noAgent'
  | 'noModel'
  | 'capability'
  | 'answerLimit'
  | 'cloudDeclined'
  | 'memoryFull'
  | 'disposed';

/** Thrown if the agent cannot carry out the user's request now. */
export class AgentError extends AppError {
  constructor(
    readonly code: AgentErrorCode,
    words: string | Phrase,
  ) {
    super(`${code}: ${typeof words === 'string' ? words : words.english}`, words);
  }
}

export function sessionBusy(): AgentError {
  return new AgentError(
    'sessionBusy',
    phrase('The agent is still working on the last message in this chat. Stop it first, or wait until it finishes.'),
  );
}

export function sessionElsewhere(): AgentError {
  return new AgentError(
    'sessionElsewhere',
    phrase('Another window is working on this chat. Continue in that window, or wait until it finishes.'),
  );
}

/** Returns the error for a turn that reached its token limit before a call or an answer was complete. */
export function answerLimitReached(tokens: number): AgentError {
  return new AgentError(
    'answerLimit',
    phrase(
      'The model wrote {0} tokens without finishing an answer or a tool call, so nothing was run. It may be repeating itself. Retry, or use a larger limit if the model writes a long file.',
      tokens,
    ),
  );
}

export function messageGone(): AgentError {
  return new AgentError('messageGone', phrase('This message is no longer part of the chat.'));
}

export function queuedGone(): AgentError {
  return new AgentError('messageGone', phrase('This message is no longer in the queue.'));
}
