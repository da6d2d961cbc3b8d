import type { TextChange } from '../../../../src/services/review/reviewPorts';

/** Applies changes to lines as an editor does. The changes are sorted, last position first. */
export function edited(lines: readonly string[], changes: readonly TextChange[]): string[] {
  let text = lines.join('\n');
  for (const { startLine, startCharacter, endLine, endCharacter, text: added } of changes) {
    const start = offsetOf(text, startLine, startCharacter);
    const end = offsetOf(text, endLine, endCharacter);
    text = text.slice(0, start) + added + text.slice(end);
  }
  return text.split('\n');
}

function offsetOf(text: string, line: number, character: number): number {
  const before = text.split('\n').slice(0, line);
  return before.reduce((sum, one) => sum + one.length + 1, character);
}
