import type { EntryInput } from '../protocol/entries';

type Notice = Extract<EntryInput, { type: 'system_message' }>;

/** What a run tells the person besides the answer. */

export function limitNotice(iterations: number): Notice {
  return warning(
    'maxIterations',
    `Stopped after ${iterations} steps, the limit set by “agent.maxIterations”. Continue to let it go on.`,
  );
}

export function loopNotice(tool: string, times: number): Notice {
  return warning(
    'loop',
    `Stopped: the model called ${tool} ${times} times in a row with the same arguments and got the same result. Say the task in other words, or choose a larger model.`,
  );
}

export function cutNotice(cause: { maxTokens: number; contextWindow: number; answerTokens: number | undefined }): Notice {
  const isOwnLimit = cause.maxTokens > 0 && (cause.answerTokens === undefined || cause.answerTokens >= cause.maxTokens);
  const why = isOwnLimit
    ? `it reached the limit of ${count(cause.maxTokens)} tokens for one answer. Continue for the rest, or raise “maxTokens” in the settings.`
    : `the context window of ${count(cause.contextWindow)} tokens is full. Start a new chat, or raise the context window in the settings.`;
  return warning('length', `The answer was cut off: ${why}`);
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
