import type { EntryInput } from '../protocol/entries';
import { shortenedCode, type ShorteningLimit } from '../protocol/shortening';

type Notice = Extract<EntryInput, { type: 'system_message' }>;

/** What a run tells the person besides the answer. */

export function limitNotice(iterations: number): Notice {
  return warning(
    'maxIterations',
    `Stopped after ${iterations} steps, the limit set by “agent.maxIterations”. Continue to let it go on.`,
  );
}

export function loopNotice(tool: string, { round, times }: { round: number; times: number }): Notice {
  const what =
    round === 1
      ? `called ${tool} ${times} times in a row with the same arguments and got the same result`
      : `made the same ${round} calls in turn ${times} times, ${tool} among them, and got the same results`;
  return warning('loop', `Stopped: the model ${what}. Say the task in other words, or choose a larger model.`);
}

/** An answer that the server ended for its length. Tokens. */
export interface CutAnswer {
  /** 0 or less: no limit. */
  maxTokens: number;
  contextWindow: number;
  promptTokens: number | undefined;
  answerTokens: number | undefined;
}

/** Whether the end of the window was reached, and not a limit of one answer: the model's own or that of the settings. */
export function isWindowFull({ maxTokens, contextWindow, promptTokens, answerTokens }: CutAnswer): boolean {
  if (maxTokens > 0 && (answerTokens === undefined || answerTokens >= maxTokens)) return false;
  if (promptTokens === undefined || answerTokens === undefined) return true;
  return promptTokens + answerTokens >= contextWindow * 0.98;
}

export function cutNotice(cause: CutAnswer): Notice {
  const { maxTokens, contextWindow, answerTokens } = cause;
  const isOwnLimit = maxTokens > 0 && (answerTokens === undefined || answerTokens >= maxTokens);
  const why = isWindowFull(cause)
    ? `the context window of ${count(contextWindow)} tokens is full. Start a new chat, or raise the context window in the settings.`
    : isOwnLimit
      ? `it reached the limit of ${count(maxTokens)} tokens for one answer. Continue for the rest, or raise “maxTokens” in the settings.`
      : `it reached the model’s own limit of ${count(answerTokens ?? 0)} tokens for one answer. Continue for the rest, or set “maxTokens” in the settings.`;
  return warning('length', `The answer was cut off: ${why}`);
}

export function repetitionNotice(): Notice {
  return warning(
    'loop',
    'Stopped: the model wrote the same words again and again. Say the task in other words, or choose a larger model.',
  );
}

export function shortenedNotice(plan: { limits: ShorteningLimit[]; count: number }, contextWindow: number): Notice {
  const what = plan.count === 1 ? 'one long result or call of a tool is' : `${count(plan.count)} results and calls of tools are`;
  return {
    type: 'system_message',
    content: `The context window of ${count(contextWindow)} tokens is full. To make room, ${what} sent shortened from now on; here they stay whole.`,
    data: { level: 'info', code: shortenedCode, limits: plan.limits },
  };
}

export function noToolsNotice(cause: 'untrusted' | 'noFolder'): Notice {
  return cause === 'untrusted'
    ? warning(
        'untrusted',
        'This workspace is not trusted, so the agent has no tools here. Trust the workspace to let it read and change files.',
      )
    : warning('noFolder', 'No folder is open, so the agent has no tools. Open a folder to let it read and change files.');
}

/** `reason` in words that end a sentence. */
export function cannotWriteNotice(path: string, reason: 'readOnly' | 'diskFull'): Notice {
  return reason === 'readOnly'
    ? warning(
        'readOnly',
        `${path} could not be written, because its folder is read-only. Make it writable, or open another folder, then ask again.`,
      )
    : warning('diskFull', `${path} could not be written, because the disk is full. Free some space, then ask again.`);
}

function warning(code: string, content: string): Notice {
  return { type: 'system_message', content, data: { level: 'warning', code } };
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
