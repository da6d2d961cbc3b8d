import { createInterface } from 'node:readline/promises';

type Input = NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };

/** Time for earlier input to arrive, in milliseconds. */
const earlyMs = 50;

/** Asks for a line on a terminal. Discards input typed before the prompt, because a model can print a fake question. */
export async function typedLine(
  { input, output, signal }: { input: Input; output: NodeJS.WritableStream; signal: AbortSignal },
  prompt: string,
): Promise<string> {
  await dropEarly(input);
  const lines = createInterface({ input, output });
  // In raw mode, the terminal sends the key instead of the signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return (await lines.question(prompt, { signal })).trim();
  } finally {
    lines.close();
  }
}

async function dropEarly(input: Input): Promise<void> {
  const drop = () => undefined;
  // Only raw mode delivers an incomplete line.
  if (input.isTTY) input.setRawMode?.(true);
  input.on('data', drop);
  await new Promise((resolve) => setTimeout(resolve, earlyMs));
  input.off('data', drop);
  input.pause();
  if (input.isTTY) input.setRawMode?.(false);
}
