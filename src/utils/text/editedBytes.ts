import { applyEdits, type LineEdit } from './standingChanges';
import { decodeText, encodeText, lineEndOf } from './textFile';

/**
 * Returns a file after edits of its lines (`linesOf` of its text with `\n` alone). Its encoding stays, and so do the ends of all lines that are not
 * edited; new lines end as most others do. Throws where it is no text.
 */
export function editedBytes(bytes: Buffer, edits: readonly LineEdit[]): Buffer {
  const decoded = decodeText(bytes);
  if (decoded === null) throw new Error('Only text is edited by lines');
  const usual = lineEndOf(decoded.text);
  const lines = decoded.text.split('\n');
  const ends = lines.map((line, index) => (index === lines.length - 1 ? usual : line.endsWith('\r') ? '\r\n' : '\n'));
  const added = edits.map(({ start, end, lines: text }) => ({ start, end, lines: text.map(() => usual) }));
  const texts = lines.map((line, index) => (ends[index] === '\r\n' && index < lines.length - 1 ? line.slice(0, -1) : line));
  const madeTexts = applyEdits(texts, edits);
  const madeEnds = applyEdits(ends, added);
  const text = madeTexts
    .map((line, index) => (index === madeTexts.length - 1 ? line : line + (madeEnds[index] ?? usual)))
    .join('');
  return encodeText(text, decoded.format);
}
