import { personTerminal, type Terminal } from '../../../src/cli/personTerminal';

const reset = '\u001b[0m\n';

/** Terminal with 80 columns and 24 rows. Its user reads to the last page and answers yes, or gives the result of `answer`. */
export class TerminalDouble {
  readonly prompts: string[] = [];
  readonly terminal: Terminal;
  /** Complete output. A separately written style reset becomes a line end. */
  text = '';
  resets = 0;

  constructor(answer = (prompt: string): string => (/^Page /.test(prompt) ? '' : 'y'), isTTY = true) {
    const write = (text: string): void => {
      if (text === reset) this.resets += 1;
      this.text += text === reset ? '\n' : text;
    };
    const output = { isTTY, columns: 80, rows: 24, write };
    const askText = async (prompt: string): Promise<string> => {
      this.prompts.push(prompt);
      const given = answer(prompt);
      this.text += `${prompt}${given}\n`;
      return given;
    };
    const outputs = { stdout: output as never, stderr: output as never };
    this.terminal = {
      ...personTerminal(outputs, isTTY ? askText : null),
      readInput: () => Promise.resolve(''),
      environment: {},
      version: '1.0.0',
      signal: new AbortController().signal,
    };
  }
}

/** Returns the text that a question on a terminal quotes. Joins the rows that the frame marks as continued. */
export function quotedIn(text: string): string {
  return text
    .split('\n')
    .map((row) => /^ {2}.{9} ([│┊]) (.*)$/u.exec(row))
    .map((row) => (row === null ? '' : `${row[1] === '│' ? '\n' : ''}${row[2] ?? ''}`))
    .join('');
}

/** Returns the rows of a question that the frame does not mark as quoted. */
export function ownRows(text: string): string[] {
  return text.split('\n').filter((row) => row !== '' && !/^ {2}.{9} [│┊] /u.test(row));
}

/** Returns the maximum number of cells that a row occupies. Characters that may be wide count twice, a tab eight times. */
export function cellsOf(row: string): number {
  return [...row.replace(/^ {2}.{9} [│┊] /u, ' '.repeat(14))].reduce(
    (sum, one) => sum + (one === '\t' ? 8 : (one.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1),
    0,
  );
}
