import type { LineEdit } from './lineEdits';

/** Replacement in coordinates of the original text. Lines and characters are 0-based. */
export interface TextChange {
  startLine: number;
  startCharacter: number;
  endLine: number;
  endCharacter: number;
  text: string;
}

/** Converts line edits to text changes, from the last to the first. */
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
  // At the end of the text, a line break precedes the first new line, but none follows the last line.
  if (start > 0) {
    const before = start - 1;
    return at(before, (lines[before] ?? '').length, last, lastLength, added.map((line) => `\n${line}`).join(''));
  }
  return at(0, 0, last, lastLength, added.join('\n'));
}
