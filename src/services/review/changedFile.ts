import { standingChanges } from '../../utils/text/standingChanges';
import { comparableLines, countsOf, hunksOf, type FileHunk, type FileTexts } from './fileHunks';

/** A file that differs from what it was before the agent first touched it. */
export interface ChangedFile {
  /** Absolute. */
  path: string;
  shown: string;
  /** Former name of a renamed file. */
  from?: string;
  status: 'created' | 'modified' | 'deleted' | 'renamed';
  /** Lines of the agent's changes that nobody has answered or undone; null if the file is not text, or too much of it. */
  lines: { additions: number; deletions: number } | null;
  /** Lines, from 1, at which the changes begin in the file as it is now. A file whose lines are not compared has one. */
  places: number[];
}

/** A changed file with what stands in it. */
export interface ComparedFile extends ChangedFile {
  /** Null where the file can only be answered as a whole. */
  texts: (FileTexts & { now: readonly string[] }) | null;
  hunks: FileHunk[];
}

/** The contents of a file: before all (`original`), without what the agent did to it, as the agent left it (undefined where that is not known), and now. Null where there is none. */
export interface FileContents {
  original: Uint8Array | null;
  before: Uint8Array | null;
  left: Uint8Array | null | undefined;
  now: Uint8Array | null;
}

/** Returns undefined where nothing is left of what the agent did. */
export function compareFile(
  file: Pick<ChangedFile, 'path' | 'shown' | 'from'>,
  { original, before, left, now }: FileContents,
): ComparedFile | undefined {
  if (before === null && now === null) return undefined;
  const isSame = before !== null && now !== null && Buffer.compare(before, now) === 0;
  if (isSame && file.from === undefined) return undefined;
  const status: ChangedFile['status'] =
    file.from !== undefined ? 'renamed' : before === null ? 'created' : now === null ? 'deleted' : 'modified';
  // Where the agent took the file away and it is there again, or nobody knows what the agent left, all that differs is shown.
  const written = now === null ? null : (left ?? now);
  const lines = isNotebook(file.path) ? undefined : comparableLines([before, written, now, original]);
  if (lines === undefined) return { ...file, status, lines: null, places: [1], texts: null, hunks: [] };
  const [base, agents, present, first] = lines as [string[], string[], string[], string[]];
  const texts = { base, left: agents, ...(original !== before && { original: first }) };
  const hunks = hunksOf(texts, present);
  const isOfLines = standingChanges(base, agents, agents).length > 0;
  if (status === 'modified' && hunks.length === 0 && isOfLines) return undefined;
  const counts = countsOf(hunks, base, present);
  const places = hunks.map(({ change }) => Math.min(change.start, Math.max(present.length - 2, 0)) + 1);
  const isWhole = now === null || (left === null && before !== null);
  const whole = { ...file, status, lines: counts, places: places.length === 0 ? [1] : places };
  return isWhole || hunks.length === 0
    ? { ...whole, texts: null, hunks: [] }
    : { ...whole, texts: { ...texts, now: present }, hunks };
}

/** Tells whether a file is a notebook, which is compared and answered as a whole: its lines are not what a person sees. */
function isNotebook(path: string): boolean {
  return path.toLowerCase().endsWith('.ipynb');
}
