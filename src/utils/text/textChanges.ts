import type { LineEdit } from './standingChanges';

/** Replacement in a text, in the coordinates of the text before it; lines and characters from 0. */
export interface TextChange {
  startLine: number;
  startCharacter: number;
  endLine: number;
  endCharacter: number;
  text: string;
}

/** Returns edits of lines as changes of a text, from the last place to the first. */
export function textChanges(lines: readonly string[], edits: readonly LineEdit[]): TextChange[] {
  return edits.map((edit) => textChange(lines, edit)).toReversed();
}

function textChange(lines: readonly string[], { start, end, lines: added }: LineEdit): TextChange {
  const at = (startLine: number, startCharacter: number, endLine: number, endCharacter: number, text: string) => {
    return { startLine, startCharacter, endLine, endCharacter, text };
  };
  if (end < lines.length) return at(start, 0, end, 0, added.map((line) => `${line}\n`).join(''));
  const last = lines.length - 1;
  const lastLength = (lines[last] ?? '').length;
  // Up to the end of the text there is no line end behind the last line, but one before the first.
  if (start > 0) {
    const before = start - 1;
    return at(before, (lines[before] ?? '').length, last, lastLength, added.map((line) => `\n${line}`).join(''));
  }
  return at(0, 0, last, lastLength, added.join('\n'));
}
