import type { EntryOf } from './entries';
import { cutTail } from '../types/cutText';

/** Maximum number of lines in a note. Further lines are only counted. */
const maxLines = 20;
/** Maximum length of a path in characters. Longer paths lose their start, because the end identifies the file. */
const maxPath = 200;

/** Returns a note that tells the model that its knowledge of restored files is outdated. */
export function restoredNote({ data: { paths } }: EntryOf<'restore'>): string {
  const named = paths.slice(0, maxLines).join(', ');
  const more = paths.length > maxLines ? ` and ${paths.length - maxLines} more` : '';
  return `(I have brought files of the workspace back to an earlier state: ${named}${more}. Read them again before you rely on what you know of them.)`;
}

/** Returns a note that tells the model that changes of a replaced answer are still in the files. Undefined if there are none. */
export function replacedNote(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  const files = formatList(paths.map((path) => `- ${pathLine(path)}`));
  return `(The next message replaces an earlier one. Your answer to that was removed, but its changes are still in these files:\n${files}\nRead them before you rely on what you know of them.)`;
}

interface Undone {
  paths: Set<string>;
  isPart: boolean;
  hunks: NonNullable<EntryOf<'review'>['data']['hunks']>;
}

/** Collects agent changes that the user has undone or reapplied, until the model is notified about them. */
export class UndoneChanges {
  /** Reviews with the action `undo`, by the `seq` of their entry. */
  private readonly undoReviews = new Map<number, Undone>();
  private readonly unreported = new Set<number>();
  /** Reapplied changes by path: IDs of hunks, or null for all changes of the file. */
  private readonly reapplied = new Map<string, readonly string[] | null>();

  note({ seq, data: { action, scope, paths, hunks = [], targetSeq } }: EntryOf<'review'>): void {
    if (action === 'undo') {
      for (const path of paths) this.dropReapplied(path, scope === 'hunk' ? hunks : null);
      this.undoReviews.set(seq, { paths: new Set(paths), isPart: scope === 'hunk', hunks });
      this.unreported.add(seq);
    } else if (action === 'revert' && targetSeq !== undefined) this.reapply(targetSeq, paths);
  }

  /** Returns unreported changes as a note and marks them as reported. */
  takeNote(): string | undefined {
    const undone = [...this.unreported].flatMap((seq) => describeUndone(this.undoReviews.get(seq)));
    const back = [...this.reapplied.keys()].map((path) => `- ${pathLine(path)}`);
    this.unreported.clear();
    this.reapplied.clear();
    const notes: string[] = [];
    if (undone.length > 0)
      notes.push(`I have undone changes of yours. Do not make them again unless I ask for them:\n${formatList(undone)}`);
    if (back.length > 0) notes.push(`I have brought changes of yours back that I had undone:\n${formatList(back)}`);
    if (notes.length === 0) return undefined;
    return `(${notes.join('\n')}\nRead these files again before you rely on what you know of them.)`;
  }

  /** Removes an undo that the model has not been notified about. Otherwise, records the reapplied changes for the next note. */
  private reapply(seq: number, paths: readonly string[]): void {
    const undone = this.undoReviews.get(seq);
    if (undone === undefined) return;
    for (const path of paths) {
      if (!undone.paths.delete(path) || this.unreported.has(seq)) continue;
      this.reapplied.set(path, undone.isPart ? undone.hunks.filter((hunk) => hunk.path === path).map(({ id }) => id) : null);
    }
  }

  /**
   * Removes reapplied changes of a file when all of them are undone again. `hunks` lists the
   * undone hunks. Null means all hunks of the file.
   */
  private dropReapplied(path: string, hunks: Undone['hunks'] | null): void {
    const back = this.reapplied.get(path);
    const isUndone = (id: string) => hunks?.some((hunk) => hunk.id === id && hunk.path === path);
    if (hunks === null || (back && back.length > 0 && back.every(isUndone))) this.reapplied.delete(path);
  }
}

function describeUndone(undone: Undone | undefined): string[] {
  if (undone === undefined) return [];
  return [...undone.paths].flatMap((path) => {
    const hunks = undone.hunks.filter((hunk) => hunk.path === path);
    if (hunks.length > 0) return hunks.map(hunkLine);
    return [`- ${pathLine(path)}: ${undone.isPart ? 'a part of your changes' : 'your changes'}`];
  });
}

/** Formats the location of a hunk, its line counts and its first line. */
function hunkLine({ path, line, additions, deletions, text }: Undone['hunks'][number]): string {
  const said = text === '' ? '' : ` \`${text.replaceAll('`', "'")}\``;
  return `- ${pathLine(path)} line ${line}: +${additions} -${deletions}${said}`;
}

function formatList(lines: readonly string[]): string {
  const different = [...new Set(lines)];
  const more = different.length - maxLines;
  return [...different.slice(0, maxLines), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

/** Formats a path on one line, because file names may contain line breaks. */
function pathLine(path: string): string {
  const line = path.replace(/\s+/g, ' ');
  return line.length > maxPath ? `…${cutTail(line, maxPath)}` : line;
}
