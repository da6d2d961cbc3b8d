import { visibleLine, visibleText } from '../../protocol/text/visibleText';
import type { AskedFact, AskedQuestion } from './askedQuestion';

/** Columns of the frame: two spaces, the label and the line. */
const frame = 14;
const labelLength = 9;
const leastWidth = 10;

/**
 * Formats a question as terminal rows. Untrusted text has a frame. It is wrapped before the terminal wraps it, so that it
 * cannot look like text of this product. `│` starts a line, `┊` continues it.
 */
export function questionRows({ title, facts }: AskedQuestion, columns: number): string[] {
  return [`? ${title}`, ...facts.flatMap((fact) => factRows(fact, columns))];
}

function factRows({ label, text, isMultiline = false }: AskedFact, columns: number): string[] {
  const lines = isMultiline ? visibleText(text).split('\n') : [visibleLine(text)];
  const width = Math.max(leastWidth, columns - frame);
  return lines.flatMap((line, index) =>
    brokenInto(line, width).map((row, part) => {
      const name = index === 0 && part === 0 ? label : '';
      return `  ${name.padEnd(labelLength)} ${part === 0 ? '│' : '┊'} ${row}`;
    }),
  );
}

/** Splits a line into pieces of at most `width` terminal cells. Characters that may be wide count as two cells. */
export function brokenInto(line: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of line) {
    const cells = character === '\t' ? 8 : (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
    if (used + cells > width && piece !== '') {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += cells;
  }
  return [...pieces, piece];
}
