import { Weave } from '../../utils/text/weave/weave';
import type { FileHistory } from './history/fileHistory';
import { comparableLines, countChangedLines, computeHunks, type FileHunk, type FileTexts } from './fileHunks';

/** File that differs from its state before the agent's first change. */
export interface ChangedFile {
  /** Absolute path. */
  path: string;
  shown: string;
  /** Former name of a renamed file. */
  from?: string;
  status: 'created' | 'modified' | 'deleted' | 'renamed';
  /** Line counts of the agent's pending changes; null if the file is not text or too large. */
  lines: { additions: number; deletions: number } | null;
  /** Lines, from 1, where the changes start in the current file. Only one line if the lines were not compared. */
  places: number[];
}

/** Changed file with its texts and hunks. */
export interface ComparedFile extends ChangedFile {
  /** Texts of the file; null if it can only be kept or undone as a whole. */
  texts: (FileTexts & { now: readonly string[] }) | null;
  hunks: FileHunk[];
}

/** Contents of a file: before all changes (`original`), without the agent's changes (`before`), and now. Null if missing. */
export interface FileContents {
  original: Uint8Array | null;
  before: Uint8Array | null;
  now: Uint8Array | null;
}

/**
 * Returns undefined if no change by the agent remains. If the agent's result is unknown, all differences are treated as changes
 * by the agent.
 */
export function compareFile(
  file: Pick<ChangedFile, 'path' | 'shown' | 'from'>,
  { original, before, now }: FileContents,
  { author, weave, last }: Pick<FileHistory, 'weave' | 'last'> & { author: string },
): ComparedFile | undefined {
  if (before === null && now === null) return undefined;
  const isSame = before !== null && now !== null && Buffer.compare(before, now) === 0;
  if (isSame && file.from === undefined) return undefined;
  const status: ChangedFile['status'] =
    file.from !== undefined ? 'renamed' : before === null ? 'created' : now === null ? 'deleted' : 'modified';
  const lines = isNotebook(file.path) ? undefined : comparableLines([before, now, original]);
  if (lines === undefined) return { ...file, status, lines: null, places: [1], texts: null, hunks: [] };
  const [base, present, first] = lines as [string[], string[], string[]];
  const known = weave === undefined || last === null ? undefined : last === undefined ? weave.advanced(author, present) : weave;
  const texts = {
    base,
    author,
    weave: known ?? Weave.of(base).advanced(author, present),
    ...(original !== before && { original: first }),
  };
  const hunks = computeHunks(texts, present);
  const isOfLines = texts.weave.isChangedBy(author);
  if (status === 'modified' && hunks.length === 0 && isOfLines) return undefined;
  const counts = countChangedLines(hunks, base, present);
  const places = hunks.map(({ change }) => Math.min(change.start, Math.max(present.length - 2, 0)) + 1);
  const isWhole = now === null || known === undefined;
  const whole = { ...file, status, lines: counts, places: places.length === 0 ? [1] : places };
  return isWhole || hunks.length === 0
    ? { ...whole, texts: null, hunks: [] }
    : { ...whole, texts: { ...texts, now: present }, hunks };
}

/** Returns true for a notebook. Notebooks are compared, kept and undone as a whole, because users do not see their lines. */
function isNotebook(path: string): boolean {
  return path.toLowerCase().endsWith('.ipynb');
}
