import { createInterface } from 'node:readline/promises';

type Input = NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };

/** Milliseconds in which what was typed before arrives. */
const earlyMs = 50;

/**
 * Asks for a line on a terminal. What was typed before the prompt is dropped: a model may print a question of its own, and the answer to that
 * is none to ours.
 */
export async function typedLine(
  { input, output, signal }: { input: Input; output: NodeJS.WritableStream; signal: AbortSignal },
  prompt: string,
): Promise<string> {
  await dropEarly(input);
  const lines = createInterface({ input, output });
  try {
    return (await lines.question(prompt, { signal })).trim();
  } finally {
    lines.close();
  }
}

async function dropEarly(input: Input): Promise<void> {
  const drop = () => undefined;
  // A line that is not ended yet is given out only in this mode.
  if (input.isTTY) input.setRawMode?.(true);
  input.on('data', drop);
  await new Promise((resolve) => setTimeout(resolve, earlyMs));
  input.off('data', drop);
  input.pause();
  if (input.isTTY) input.setRawMode?.(false);
}
