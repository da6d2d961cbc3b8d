import { t } from '../../translate';
import { cutHead, cutTail } from '../../../types/cutText';

export interface Bounds {
  lines: number;
  characters: number;
  /** Part of the text to keep. */
  end: 'start' | 'end';
}

export interface BoundedText {
  text: string;
  isCut: boolean;
  lineCount: number;
}

/** Truncates a text to the limits, at line endings if possible. */
export function boundText(source: string, { lines, characters, end }: Bounds): BoundedText {
  const text = source.endsWith('\n') ? source.slice(0, -1) : source;
  const lineCount = countLines(text);
  const kept = lineCount <= lines ? text : end === 'start' ? firstLines(text, lines) : lastLines(text, lines);
  if (kept.length <= characters) return { text: kept, isCut: kept.length < text.length, lineCount };
  const cut = end === 'start' ? `${cutHead(kept, characters)}…` : `…${cutTail(kept, characters)}`;
  return { text: cut, isCut: true, lineCount };
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function firstLines(text: string, lines: number): string {
  let end = -1;
  for (let line = 0; line < lines; line += 1) end = text.indexOf('\n', end + 1);
  return text.slice(0, end);
}

function lastLines(text: string, lines: number): string {
  let start = text.length;
  for (let line = 0; line < lines; line += 1) start = text.lastIndexOf('\n', start - 1);
  return text.slice(start + 1);
}

/** Returns the label of the button that shows the whole text of this size. */
export function showAllText(lines: number, characters: number): string {
  return lines > 1 ? t('Show all {0} lines', lines) : t('Show all {0} characters', characters);
}
