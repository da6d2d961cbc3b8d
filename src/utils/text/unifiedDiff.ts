import { formatInEnglish } from '../../types/format';
import type { Hunk } from './hunk';
import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk } from './jsdiff';
import { diffLines } from './lineDiff';

export interface DiffSummary {
  /** Unified diff with three lines of context. Empty if there is no difference. */
  diff: string;
  additions: number;
  deletions: number;
}

/** File names of a diff. Null if the file does not exist on that side. */
export interface DiffNames {
  before: string | null;
  after: string | null;
}

const context = 3;
/** Maximum length of a stored diff in characters. */
const maxLength = 200_000;

/** Splits a text into lines. Each line includes its line break. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/**
 * Formats a unified diff. If the diff is very long, truncates it and adds a last line that starts
 * with `\` and states how many lines are missing.
 */
export function unifiedDiff(names: DiffNames, before: string, after: string): DiffSummary {
  const a = splitLines(before);
  const b = splitLines(after);
  const hunks = diffLines(a, b);
  const additions = hunks.reduce((sum, { afterStart, afterEnd }) => sum + afterEnd - afterStart, 0);
  const deletions = hunks.reduce((sum, { beforeStart, beforeEnd }) => sum + beforeEnd - beforeStart, 0);
  // The library would quote names like git does, with numeric escapes for letters such as ü.
  const head = `--- ${formatSide('a', names.before)}\n+++ ${formatSide('b', names.after)}\n`;
  return { diff: cut(head + formatHunks(inGroups(hunks).map((group) => patchHunk(group, a, b)))), additions, deletions };
}

function formatSide(letter: string, name: string | null): string {
  return name === null ? '/dev/null' : `${letter}/${name}`;
}

const noNames = { oldFileName: undefined, newFileName: undefined, oldHeader: undefined, newHeader: undefined };

function formatHunks(hunks: StructuredPatchHunk[]): string {
  if (hunks.length === 0) return '';
  const text = formatPatch({ ...noNames, hunks }, OMIT_HEADERS);
  // Git omits the length of a one-line range.
  return text.replace(/^@@ .+ @@$/gm, (place) => place.replaceAll(/,1(?= )/g, ''));
}

/** Groups hunks with overlapping contexts. */
function inGroups(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1);
    if (last && hunk.beforeStart - (last.at(-1) as Hunk).beforeEnd <= 2 * context) last.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function patchHunk(group: readonly Hunk[], a: readonly string[], b: readonly string[]): StructuredPatchHunk {
  const first = group[0] as Hunk;
  const last = group.at(-1) as Hunk;
  const lead = Math.min(context, first.beforeStart);
  const aFrom = first.beforeStart - lead;
  const bFrom = first.afterStart - lead;
  const tail = Math.min(context, a.length - last.beforeEnd);
  const aTo = last.beforeEnd + tail;
  const bTo = last.afterEnd + tail;
  const lines: string[] = [];
  let place = aFrom;
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of group) {
    for (; place < beforeStart; place += 1) put(lines, ' ', a[place]);
    for (; place < beforeEnd; place += 1) put(lines, '-', a[place]);
    for (let index = afterStart; index < afterEnd; index += 1) put(lines, '+', b[index]);
  }
  for (; place < aTo; place += 1) put(lines, ' ', a[place]);
  return { oldStart: aFrom + 1, oldLines: aTo - aFrom, newStart: bFrom + 1, newLines: bTo - bFrom, lines };
}

function put(lines: string[], sign: string, line = ''): void {
  if (line.endsWith('\n')) lines.push(`${sign}${line.slice(0, -1)}`);
  else lines.push(`${sign}${line}`, '\\ No newline at end of file');
}

function cut(text: string): string {
  if (text.length <= maxLength) return text;
  const end = text.lastIndexOf('\n', maxLength - 1) + 1;
  const rest = text.slice(end).split('\n').length - 1;
  return `${text.slice(0, end)}\\ ${formatInEnglish(rest)} more lines of this diff are left out.\n`;
}
