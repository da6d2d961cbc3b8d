import type { EntryInput } from '../../protocol/entries';
import { largerLimitCode, shortenedCode, type ShorteningLimit } from '../../protocol/context/shortening';
import { t } from '../../utils/l10n';

type Notice = Extract<EntryInput, { type: 'system_message' }>;

/** Code of the notice that a person agreed to a model which runs elsewhere. */
export const cloudAgreedCode = 'cloudAgreed';

/** Builds the notices by which a run tells the person more than the answer. */

export function limitNotice(iterations: number): Notice {
  return warning(
    'maxIterations',
    t('Stopped after {0} steps, the limit set by “agent.maxIterations”. Continue to let it go on.', iterations),
  );
}

export function loopNotice(tool: string, { round, times }: { round: number; times: number }, howAlike = 'same'): Notice {
  if (howAlike === 'near')
    return warning(
      'loop',
      t(
        'Stopped: the model made nearly the same calls of {0} again and again and learned nothing new. Say the task in other words, or choose a larger model.',
        tool,
      ),
    );
  const text =
    round === 1
      ? t(
          'Stopped: the model called {0} {1} times in a row with the same arguments and got the same result. Say the task in other words, or choose a larger model.',
          tool,
          times,
        )
      : t(
          'Stopped: the model made the same {0} calls in turn {1} times, {2} among them, and got the same results. Say the task in other words, or choose a larger model.',
          round,
          times,
          tool,
        );
  return warning('loop', text);
}

/** An answer that the server ended for its length. Tokens. */
export interface CutAnswer {
  /** 0 or less: no limit. */
  maxTokens: number;
  /** Limit that the request had; null where only the server knows. */
  limit: number | null;
  contextWindow: number;
  promptTokens: number | undefined;
  answerTokens: number | undefined;
}

/**
 * Tells whether an answer was cut by the end of the window and not by a limit of one answer, the model's own or that of
 * the settings.
 */
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
        'The answer was cut off: the context window of {0} tokens is full. Start a new chat, or raise the context window in the settings.',
        contextWindow,
      )
    : isUsualLimit
      ? t(
          'The answer was cut off: it reached the limit of {0} tokens for one answer. Continue for the rest, or set “maxTokens” in the settings.',
          limit,
        )
      : isOwnLimit
        ? t(
            'The answer was cut off: it reached the limit of {0} tokens for one answer. Continue for the rest, or raise “maxTokens” in the settings.',
            maxTokens,
          )
        : t(
            'The answer was cut off: it reached the model’s own limit of {0} tokens for one answer. Continue for the rest, or set “maxTokens” in the settings.',
            answerTokens ?? 0,
          );
  return warning('length', text);
}

/** Says that a person lets an answer take twice as many tokens until their next message. */
export function largerLimitNotice(): Notice {
  return {
    type: 'system_message',
    content: t('Retrying with twice as many tokens for one answer.'),
    data: { level: 'info', code: largerLimitCode },
  };
}

export function repetitionNotice(): Notice {
  return warning(
    'loop',
    t('Stopped: the model wrote the same words again and again. Say the task in other words, or choose a larger model.'),
  );
}

export function claimNotice(claim: 'written' | 'run'): Notice {
  return warning(
    'claim',
    claim === 'written'
      ? t('The answer says that something was written, but nothing was since your message.')
      : t('The answer says that something was run, but nothing was since your message.'),
  );
}

export function shortenedNotice(plan: { limits: ShorteningLimit[]; count: number }, contextWindow: number): Notice {
  const content =
    plan.count === 1
      ? t(
          'The context window of {0} tokens is nearly full. To make room, one long result or call of a tool is sent shortened from now on; here it stays whole.',
          contextWindow,
        )
      : t(
          'The context window of {0} tokens is nearly full. To make room, {1} results and calls of tools are sent shortened from now on; here they stay whole.',
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
    'Your message is larger than the context window of {0} tokens. The model gets its beginning and its end; {1} characters in the middle are left out. Here it stays whole.',
    contextWindow,
    left,
  );
  return { type: 'system_message', content, data: { level: 'warning', code: shortenedCode, limits: [limit] } };
}

export function noToolsNotice(cause: 'untrusted' | 'noFolder'): Notice {
  return cause === 'untrusted'
    ? warning(
        'untrusted',
        t('This workspace is not trusted, so the agent has no tools here. Trust the workspace to let it read and change files.'),
      )
    : warning('noFolder', t('No folder is open, so the agent has no tools. Open a folder to let it read and change files.'));
}

export function cloudNotice(model: string): Notice {
  const content = t('You agreed that what is said in this chat goes to Ollama’s servers, where {0} runs.', model);
  return { type: 'system_message', content, model, data: { level: 'info', code: cloudAgreedCode } };
}

export function cannotWriteNotice(path: string, reason: 'readOnly' | 'diskFull'): Notice {
  return reason === 'readOnly'
    ? warning(
        'readOnly',
        t(
          '{0} could not be written, because its folder is read-only. Make it writable, or open another folder, then ask again.',
          path,
        ),
      )
    : warning('diskFull', t('{0} could not be written, because the disk is full. Free some space, then ask again.', path));
}

function warning(code: string, content: string): Notice {
  return { type: 'system_message', content, data: { level: 'warning', code } };
}
