import type { EntryInput } from '../../protocol/entries';
import { largerLimitCode, shortenedCode, type ShorteningLimit } from '../../protocol/context/shortening';
import { t } from '../../utils/l10n';

type Notice = Extract<EntryInput, { type: 'system_message' }>;

export const cloudAgreedCode = 'cloudAgreed';

export function limitNotice(iterations: number): Notice {
  return warning(
    'maxIterations',
    t('Stopped after {0} steps, the limit in “Maximum steps per message”. Select Continue to go on.', iterations),
  );
}

export function loopNotice(tool: string, { round, times }: { round: number; times: number }, howAlike = 'same'): Notice {
  if (howAlike === 'near')
    return warning(
      'loop',
      t(
        'Stopped: the model kept calling {0} with nearly the same arguments and got no new information. Rephrase the task, or choose a larger model.',
        tool,
      ),
    );
  const text =
    round === 1
      ? t(
          'Stopped: the model called {0} {1} times in a row with the same arguments and the same result. Rephrase the task, or choose a larger model.',
          tool,
          times,
        )
      : t(
          'Stopped: the model repeated the same {0} tool calls (including {2}) {1} times, with the same results. Rephrase the task, or choose a larger model.',
          round,
          times,
          tool,
        );
  return warning('loop', text);
}

/** Answer that reached a length limit. All values are in tokens. */
export interface CutAnswer {
  /** Limit in the settings. 0 or less means no limit. */
  maxTokens: number;
  /** Limit in the request, or null if only the server knows the limit. */
  limit: number | null;
  contextWindow: number;
  promptTokens: number | undefined;
  answerTokens: number | undefined;
}

/** Returns true if the full context window truncated an answer, not its token limit. */
export function isWindowFull({ limit, contextWindow, promptTokens, answerTokens }: CutAnswer): boolean {
  if (limit !== null && limit < contextWindow && (answerTokens === undefined || answerTokens >= limit)) return false;
  if (promptTokens === undefined || answerTokens === undefined) return true;
  return promptTokens + answerTokens >= contextWindow * 0.98;
}

export function cutNotice(cause: CutAnswer): Notice {
  const { maxTokens, limit, contextWindow, answerTokens } = cause;
  const isOwnLimit = maxTokens > 0 && (answerTokens === undefined || answerTokens >= maxTokens);
  const isUsualLimit = !isOwnLimit && limit !== null && (answerTokens ?? limit) >= limit;
  const text = isWindowFull(cause)
    ? t(
        'The answer was cut off because the context window of {0} tokens is full. Start a new chat, or increase the context window in the settings.',
        contextWindow,
      )
    : isUsualLimit
      ? t(
          'The answer was cut off at the limit of {0} tokens. Select Continue for the rest, or set a higher limit in “maxTokens” in the settings.',
          limit,
        )
      : isOwnLimit
        ? t(
            'The answer was cut off at the limit of {0} tokens. Select Continue for the rest, or increase “maxTokens” in the settings.',
            maxTokens,
          )
        : t(
            'The answer was cut off at the model’s own limit of {0} tokens. Select Continue for the rest, or set “maxTokens” in the settings.',
            answerTokens ?? 0,
          );
  return warning('length', text);
}

/** Returns the notice that the token limit for answers is doubled until the user's next message. */
export function largerLimitNotice(): Notice {
  return {
    type: 'system_message',
    content: t('Retrying with twice as many tokens per answer.'),
    data: { level: 'info', code: largerLimitCode },
  };
}

export function repetitionNotice(): Notice {
  return warning('loop', t('Stopped: the model kept repeating the same text. Rephrase the task, or choose a larger model.'));
}

/** Returns the notice about claimed work that was not done, or about a failure that the answer does not mention. */
export function claimNotice({
  claim,
  failure,
}: {
  claim: 'written' | 'run';
  failure: { exitCode: number | null } | null;
}): Notice {
  if (failure !== null) {
    const { exitCode } = failure;
    const words =
      exitCode === null ? t('The command did not finish.') : t('The command failed (exit code {0}).', String(exitCode));
    return warning('claim', words);
  }
  return warning(
    'claim',
    claim === 'written'
      ? t('The answer claims that a file was written, but nothing has been written since your message.')
      : t('The answer claims that something was run, but nothing has been run since your message.'),
  );
}

export function shortenedNotice(plan: { limits: ShorteningLimit[]; count: number }, contextWindow: number): Notice {
  const content =
    plan.count === 1
      ? t(
          'The context window of {0} tokens is nearly full. To make room, a long tool call or result is now shortened for the model. The chat still shows it in full.',
          contextWindow,
        )
      : t(
          'The context window of {0} tokens is nearly full. To make room, {1} tool calls and results are now shortened for the model. The chat still shows them in full.',
          contextWindow,
          plan.count,
        );
  return {
    type: 'system_message',
    content,
    data: { level: 'info', code: shortenedCode, limits: plan.limits },
  };
}

export function cutMessageNotice(limit: ShorteningLimit, left: number, contextWindow: number): Notice {
  const content = t(
    'Your message does not fit in the context window of {0} tokens. The model gets the beginning and end; {1} characters in the middle are left out. The chat still shows the full message.',
    contextWindow,
    left,
  );
  return { type: 'system_message', content, data: { level: 'warning', code: shortenedCode, limits: [limit] } };
}

export function noToolsNotice(cause: 'untrusted' | 'noFolder'): Notice {
  return cause === 'untrusted'
    ? warning(
        'untrusted',
        t(
          'This workspace is not trusted, so the agent has no tools. Trust the workspace to let the agent read and change files.',
        ),
      )
    : warning(
        'noFolder',
        t('No folder is open, so the agent has no tools. Open a folder to let the agent read and change files.'),
      );
}

export function cloudNotice(model: string): Notice {
  const content = t('You agreed to send this chat to Ollama’s servers, where {0} runs.', model);
  return { type: 'system_message', content, model, data: { level: 'info', code: cloudAgreedCode } };
}

export function cannotWriteNotice(path: string, reason: 'readOnly' | 'diskFull'): Notice {
  return reason === 'readOnly'
    ? warning(
        'readOnly',
        t(
          'Could not write {0} because its folder is read-only. Make the folder writable or open another folder, then ask again.',
          path,
        ),
      )
    : warning('diskFull', t('Could not write {0} because the disk is full. Free up disk space, then ask again.', path));
}

function warning(code: string, content: string): Notice {
  return { type: 'system_message', content, data: { level: 'warning', code } };
}
