import { AppError } from '../../utils/errors';
import { phrase, type Phrase } from '../../utils/l10n';

export type AgentErrorCode =
  | 'sessionBusy'
  | 'sessionElsewhere'
  | 'sessionNotFound'
  | 'nothingToAnswer'
  | 'messageGone'
  | 'approvalGone'
  | 'nothingToEdit'
  | 'noAgent'
  | 'noModel'
  | 'capability'
  | 'answerLimit'
  | 'cloudDeclined'
  | 'memoryFull'
  | 'disposed';

/** Thrown if the agent cannot do right now what a person asked for. */
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
    phrase('This chat is still working on the last message. Stop it first, or wait until it is done.'),
  );
}

export function sessionElsewhere(): AgentError {
  return new AgentError(
    'sessionElsewhere',
    phrase('Another window is working on this chat. Continue there, or wait until it is done.'),
  );
}

/** Returns the failure of a turn that a limit ended before a call or an answer was complete. `tokens`: the limit. */
export function answerLimitReached(tokens: number): AgentError {
  return new AgentError(
    'answerLimit',
    phrase(
      'The model wrote {0} tokens and neither a call nor an answer was complete, so nothing was run. It may be repeating itself. Retry, or retry with a larger limit if the file is long.',
      tokens,
    ),
  );
}

export function messageGone(): AgentError {
  return new AgentError('messageGone', phrase('This message is not part of the conversation any more.'));
}

export function queuedGone(): AgentError {
  return new AgentError('messageGone', phrase('This message is not waiting any more.'));
}
