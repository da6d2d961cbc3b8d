import { diffLines } from './lineDiff';
import { applyEdits, splitEditorLines, type LineEdit } from './lineEdits';
import { decodeText, encodeText, detectLineEnd, plainLineEnds } from './textFile';

/**
 * Applies line edits to a file. Lines are counted as `splitEditorLines` counts them in the text with `\n`. Keeps the encoding, and the
 * line breaks of other lines. A new line ends like the line that it replaces, otherwise like most lines. If the file has no line
 * breaks, uses the line breaks of `like`. Throws if the file is not text.
 */
export function editedBytes(bytes: Buffer, edits: readonly LineEdit[], like: Uint8Array | null = null): Buffer {
  const decoded = decodeText(bytes);
  if (decoded === null) throw new Error('Only text is edited by lines');
  const other = decoded.text.includes('\n') || like === null ? null : decodeText(Buffer.from(like));
  const usual = detectLineEnd((other ?? decoded).text);
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
 * Applies line edits to `now` that undo the changes from `before` to `left`. If encoding and line breaks have not changed since
 * `left`, restores the encoding and line breaks of `before`, even in lines that others have added. Throws if a file is not text.
 */
export function undoneBytes(
  { before, left, now }: { before: Buffer; left: Buffer; now: Buffer },
  edits: readonly LineEdit[],
): Buffer {
  const edited = editedBytes(now, edits, before);
  if (!isSameForm(left, now)) return edited;
  const [was, lines] = [before, edited].map((bytes) => splitEditorLines(plainLineEnds(decodeText(bytes)?.text ?? ''))) as [
    string[],
    string[],
  ];
  const back = editsBetween(was, lines);
  if (back.length > 0 && isSameForm(before, left)) return edited;
  return editedBytes(before, back);
}

/** Returns the edits that change one text into another. */
export function editsBetween(before: readonly string[], after: readonly string[]): LineEdit[] {
  return diffLines(before, after).map(({ beforeStart: start, beforeEnd: end, afterStart, afterEnd }) => {
    return { start, end, lines: after.slice(afterStart, afterEnd) };
  });
}

/** Returns true if two texts have the same encoding, byte order mark and line breaks. */
export function isSameForm(one: Buffer, other: Buffer): boolean {
  const a = decodeText(one);
  const b = decodeText(other);
  if (a === null || b === null) return false;
  const isSameEncoding = a.format.encoding === b.format.encoding && a.format.hasMark === b.format.hasMark;
  return isSameEncoding && detectLineEnd(a.text) === detectLineEnd(b.text);
}
