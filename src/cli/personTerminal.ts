import { visibleCode } from '../protocol/text/visibleText';
import type { AskingTerminal } from '../serve/questions/askOnTerminal';

export interface Terminal extends AskingTerminal {
  /** Writes text from a model or server. */
  write(text: string): void;
  /** Writes a document. A file or pipe gets the document unchanged. A terminal gets the same output as from `write`. */
  writeDocument(text: string): void;
  /** Reads standard input if it is a pipe or a file. Otherwise, resolves with an empty text. */
  readInput(): Promise<string>;
  environment: NodeJS.ProcessEnv;
  /** Aborts with the reason `SIGINT`, `SIGTERM` or, if the program that reads the output has ended, `SIGPIPE`. */
  signal: AbortSignal;
  version: string;
}

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'> & { write(text: string): unknown };

const resetColours = '\u001b[0m';
/** Default size for a terminal that does not report its size. */
const usual = { columns: 80, rows: 24 };

/**
 * Returns the only output to the user's terminal. It writes invisible characters, and control characters
 * except line breaks and tabs, as code points. As a result, models, tools, file names and servers cannot move
 * the cursor, write to the clipboard or hide output.
 */
export function personTerminal(
  { stdout, stderr }: { stdout: Output; stderr: Output },
  askText: AskingTerminal['askText'],
): Omit<Terminal, 'environment' | 'signal' | 'version' | 'readInput'> {
  return {
    write: (text) => void stdout.write(onTerminal(text)),
    writeDocument: (text) => void stdout.write(stdout.isTTY ? onTerminal(text) : text),
    note: (text) => void stderr.write(onTerminal(text)),
    fresh: () => void stderr.write(stderr.isTTY ? `${resetColours}\n` : '\n'),
    askText,
    size: () => ({ columns: stderr.columns || usual.columns, rows: stderr.rows || usual.rows }),
  };
}

function onTerminal(text: string): string {
  return visibleCode(text.replaceAll('\r\n', '\n'));
}
