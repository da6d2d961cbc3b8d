/** Replacement of the lines from `start` to `end`. */
export interface LineEdit {
  start: number;
  end: number;
  lines: string[];
}

/** Returns the lines of a text as editors count them. The last line is empty if the text ends with a line break. */
export function splitEditorLines(text: string): string[] {
  return text.split('\n');
}

/** Applies ordered edits that do not overlap. */
export function applyEdits(lines: readonly string[], edits: readonly LineEdit[]): string[] {
  const result: string[] = [];
  let place = 0;
  for (const { start, end, lines: added } of edits) {
    for (; place < start; place += 1) result.push(lines[place] ?? '');
    for (const line of added) result.push(line);
    place = end;
  }
  for (; place < lines.length; place += 1) result.push(lines[place] ?? '');
  return result;
}
