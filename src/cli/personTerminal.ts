import { visibleCode } from '../protocol/text/visibleText';
import type { AskingTerminal } from '../serve/questions/askOnTerminal';

/** Terminal that a command prints to and asks on. */
export interface Terminal extends AskingTerminal {
  /** Prints what a model or a server has said. */
  write(text: string): void;
  /** Prints a document: byte for byte into a file or a pipe, and as `write` does on a terminal. */
  writeDocument(text: string): void;
  environment: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'> & { write(text: string): unknown };

const resetColours = '\u001b[0m';
/** Size of a terminal that does not report its own. */
const usual = { columns: 80, rows: 24 };

/**
 * Returns the only way to a person's terminal: whatever is written there has no control character but line ends and tabs, and nothing that is
 * not seen. Models, tools, names of files and servers cannot move its cursor, reach its clipboard or hide what is printed.
 */
export function personTerminal(
  { stdout, stderr }: { stdout: Output; stderr: Output },
  askText: AskingTerminal['askText'],
): Omit<Terminal, 'environment' | 'signal'> {
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
