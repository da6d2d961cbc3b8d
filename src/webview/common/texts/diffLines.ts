export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'place';
  text: string;
  /** Line numbers on each side, from 1; null where the line is not on that side. */
  before: number | null;
  after: number | null;
}

/** Returns the lines of a unified diff without its file headers. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let isInside = false;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const place = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (place !== null) {
      before = Number(place[1]);
      after = Number(place[2]);
      if (isInside) lines.push({ kind: 'place', text: '⋯', before: null, after: null });
      isInside = true;
    } else if (/^\\ \d/.test(line)) lines.push({ kind: 'place', text: line.slice(2), before: null, after: null });
    else if (!isInside || line.startsWith('\\')) continue;
    else if (line.startsWith('+')) lines.push({ kind: 'added', text: line.slice(1), before: null, after: after++ });
    else if (line.startsWith('-')) lines.push({ kind: 'removed', text: line.slice(1), before: before++, after: null });
    else lines.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
  }
  return lines;
}

/** Counts the lines that a unified diff adds and removes. */
export function diffCounts(diff: string): { additions: number; deletions: number } {
  const lines = diffLines(diff);
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return { additions: count('added'), deletions: count('removed') };
}
