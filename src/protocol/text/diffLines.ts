export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'place';
  text: string;
  /** 1-based line number on each side. Null if the line does not exist on this side. */
  before: number | null;
  after: number | null;
}

/** Part of a unified diff for one file. */
export interface FileDiff {
  /** File name on each side. Null if the file does not exist on this side. */
  before: string | null;
  after: string | null;
  lines: DiffLine[];
  /** Sides on which the file ends without a line break. */
  unended: { before: boolean; after: boolean };
}

/** Returns the lines of a unified diff without file headers. If the diff has several files, each part starts with its file name. */
export function parseDiffLines(diff: string): DiffLine[] {
  const files = diffFiles(diff);
  if (files.length === 1) return files[0]?.lines ?? [];
  return files.flatMap(({ before, after, lines }) => [parsePlace(formatFileName(before, after)), ...lines]);
}

/** Splits a unified diff by file. Uses the hunk lengths to tell headers from content. */
export function diffFiles(diff: string): FileDiff[] {
  const files: FileDiff[] = [];
  const rows = diff.replace(/\n$/, '').split('\n');
  let before = 0;
  let after = 0;
  let beforeEnd = 0;
  let afterEnd = 0;
  let isInside = false;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? '';
    const isWhole = before >= beforeEnd && after >= afterEnd;
    if (isWhole && row.startsWith('--- ') && rows[at + 1]?.startsWith('+++ ') === true) {
      files.push({
        before: parseSide(row),
        after: parseSide(rows[at + 1] ?? ''),
        lines: [],
        unended: { before: false, after: false },
      });
      isInside = false;
      at += 1;
      continue;
    }
    if (files.length === 0) files.push({ before: null, after: null, lines: [], unended: { before: false, after: false } });
    const lines = files.at(-1)?.lines ?? [];
    const place = isWhole ? /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(row) : null;
    if (place !== null) {
      before = Number(place[1]);
      after = Number(place[3]);
      beforeEnd = before + Number(place[2] ?? 1);
      afterEnd = after + Number(place[4] ?? 1);
      if (isInside) lines.push(parsePlace('⋯'));
      isInside = true;
    } else if (/^\\ \d/.test(row)) {
      // The diff was truncated within a hunk.
      beforeEnd = before;
      afterEnd = after;
      lines.push(parsePlace(row.slice(2)));
    } else if (isInside && row.startsWith('\\')) noteUnended(files.at(-1));
    else if (!isInside || (isWhole && row === '')) continue;
    else if (row.startsWith('+')) lines.push({ kind: 'added', text: row.slice(1), before: null, after: after++ });
    else if (row.startsWith('-')) lines.push({ kind: 'removed', text: row.slice(1), before: before++, after: null });
    else lines.push({ kind: 'same', text: row.slice(1), before: before++, after: after++ });
  }
  return files;
}

export function diffCounts(diff: string): { additions: number; deletions: number } {
  const lines = parseDiffLines(diff);
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return { additions: count('added'), deletions: count('removed') };
}

/** Records that the last line has no line break, on each side that contains the line. */
function noteUnended(file: FileDiff | undefined): void {
  const last = file?.lines.at(-1);
  if (file === undefined || last === undefined) return;
  if (last.kind !== 'added') file.unended.before = true;
  if (last.kind !== 'removed') file.unended.after = true;
}

function parsePlace(text: string): DiffLine {
  return { kind: 'place', text, before: null, after: null };
}

function formatFileName(before: string | null, after: string | null): string {
  return before === null || after === null || before === after ? (after ?? before ?? '') : `${before} → ${after}`;
}

function parseSide(header: string): string | null {
  const name = header.slice(4);
  return name === '/dev/null' ? null : name.replace(/^[ab]\//, '');
}
