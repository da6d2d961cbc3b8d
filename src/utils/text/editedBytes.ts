import { diffLines } from './lineDiff';
import { applyEdits, linesOf, type LineEdit } from './standingChanges';
import { decodeText, encodeText, lineEndOf, plainLineEnds } from './textFile';

/**
 * Returns a file after edits of its lines (`linesOf` of its text with `\n` alone). Its encoding stays, and so do the ends of all lines that are not
 * edited; a new line ends as the one in its place did, else as most do, as those
 * of `like` where there are none. Throws where it is no text.
 */
export function editedBytes(bytes: Buffer, edits: readonly LineEdit[], like: Uint8Array | null = null): Buffer {
  const decoded = decodeText(bytes);
  if (decoded === null) throw new Error('Only text is edited by lines');
  const other = decoded.text.includes('\n') || like === null ? null : decodeText(Buffer.from(like));
  const usual = lineEndOf((other ?? decoded).text);
  const lines = decoded.text.split('\n');
  const ends = lines.map((line, index) => (index === lines.length - 1 ? usual : line.endsWith('\r') ? '\r\n' : '\n'));
  const added = edits.map(({ start, end, lines: text }) => {
    return { start, end, lines: text.map((_line, index) => (start + index < end && ends[start + index]) || usual) };
  });
  const texts = lines.map((line, index) => (ends[index] === '\r\n' && index < lines.length - 1 ? line.slice(0, -1) : line));
  const madeTexts = applyEdits(texts, edits);
  const madeEnds = applyEdits(ends, added);
  const text = madeTexts
    .map((line, index) => (index === madeTexts.length - 1 ? line : line + (madeEnds[index] ?? usual)))
    .join('');
  return encodeText(text, decoded.format);
}

/**
 * Returns the file `now` after edits of its lines that take back what made `left` of `before`. Where nobody has changed the encoding and the line
 * ends since `left`, those of `before` come back, also for lines that others have put in. Throws where one of them is no text.
 */
export function undoneBytes(
  { before, left, now }: { before: Buffer; left: Buffer; now: Buffer },
  edits: readonly LineEdit[],
): Buffer {
  const edited = editedBytes(now, edits, before);
  if (!isSameForm(left, now)) return edited;
  const [was, lines] = [before, edited].map((bytes) => linesOf(plainLineEnds(decodeText(bytes)?.text ?? ''))) as [
    string[],
    string[],
  ];
  const moves = diffLines(was, lines);
  if (moves.length > 0 && isSameForm(before, left)) return edited;
  const back = moves.map(({ beforeStart: start, beforeEnd: end, afterStart, afterEnd }) => {
    return { start, end, lines: lines.slice(afterStart, afterEnd) };
  });
  return editedBytes(before, back);
}

/** Tells whether two texts lie on the disk in the same way: encoding, mark and line ends. */
export function isSameForm(one: Buffer, other: Buffer): boolean {
  const [a, b] = [decodeText(one), decodeText(other)];
  if (a === null || b === null) return false;
  const isSameEncoding = a.format.encoding === b.format.encoding && a.format.hasMark === b.format.hasMark;
  return isSameEncoding && lineEndOf(a.text) === lineEndOf(b.text);
}
