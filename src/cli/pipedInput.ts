import { fstatSync } from 'node:fs';
import { readableText } from '../utils/text/textFile';

type Input = NodeJS.ReadStream & { fd: number };

/** Maximum time to wait for the first data of a socket, in milliseconds. */
const socketPatienceMs = 500;
/** Time after which a note says that the command waits for input, in milliseconds. */
const noteAfterMs = 2_000;

/**
 * Reads standard input if it is a pipe or a file. Otherwise, resolves with an empty text. Other programs often open a
 * socket and never write to it, so the first data of a socket must arrive soon.
 */
export async function pipedInput(input: Input, note: (text: string) => void, signal: AbortSignal): Promise<string> {
  const kind = detectKind(input);
  if (kind === null) return '';
  const pieces: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(
        () => (kind === 'socket' ? resolve() : note('Reading standard input.\n')),
        kind === 'socket' ? socketPatienceMs : noteAfterMs,
      );
      signal.addEventListener('abort', () => resolve(), { once: true });
      input.on('data', (piece: Buffer) => {
        clearTimeout(timer);
        pieces.push(Buffer.from(piece));
      });
      input.once('end', resolve);
      input.once('error', reject);
    });
  } finally {
    clearTimeout(timer);
    // An open input would keep the process running.
    input.destroy();
  }
  const bytes = Buffer.concat(pieces);
  // PowerShell can pipe UTF-16.
  return readableText(bytes) ?? bytes.toString('utf8');
}

function detectKind(input: Input): 'socket' | 'other' | null {
  if (input.isTTY) return null;
  try {
    const found = fstatSync(input.fd);
    if (found.isSocket()) return 'socket';
    return found.isFIFO() || found.isFile() ? 'other' : null;
  } catch {
    // The input is closed.
    return null;
  }
}
