import type { EntryOf } from './entries';

/** Lines of one note; what is beyond them is counted. */
const maxNamed = 20;
/** Characters of a path; its end tells more than its beginning. */
const maxPath = 200;

/** Tells the model that its knowledge of these files is out of date. */
export function restoredNote({ data: { paths } }: EntryOf<'restore'>): string {
  const named = paths.slice(0, maxNamed).join(', ');
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  return `(I have brought files of the workspace back to an earlier state: ${named}${more}. Read them again before you rely on what you know of them.)`;
}

interface Undone {
  paths: Set<string>;
  isPart: boolean;
  hunks: NonNullable<EntryOf<'review'>['data']['hunks']>;
}

/** Collects the model's changes that a person has undone, or brought back, until the model is told. */
export class UndoneChanges {
  /** Undone answers by the `seq` of the answer. */
  private readonly known = new Map<number, Undone>();
  private readonly untold = new Set<number>();
  private readonly back = new Set<string>();

  note({ seq, data: { action, scope, paths, hunks = [], targetSeq } }: EntryOf<'review'>): void {
    if (action === 'undo') {
      this.known.set(seq, { paths: new Set(paths), isPart: scope === 'hunk', hunks });
      this.untold.add(seq);
    } else if (action === 'revert' && targetSeq !== undefined) this.takeBack(targetSeq, paths);
  }

  /** Returns what the model has not been told yet, and forgets it. */
  take(): string | undefined {
    const undone = [...this.untold].flatMap((seq) => linesOf(this.known.get(seq)));
    const back = [...this.back].map((path) => `- ${pathLine(path)}`);
    this.untold.clear();
    this.back.clear();
    const notes: string[] = [];
    if (undone.length > 0)
      notes.push(`I have undone changes of yours. Do not make them again unless I ask for them:\n${listOf(undone)}`);
    if (back.length > 0) notes.push(`I have brought changes of yours back that I had undone:\n${listOf(back)}`);
    if (notes.length === 0) return undefined;
    return `(${notes.join('\n')}\nRead these files again before you rely on what you know of them.)`;
  }

  /** Forgets an undo of which the model has not heard; else it is to hear that the changes are back. */
  private takeBack(seq: number, paths: readonly string[]): void {
    const undone = this.known.get(seq);
    if (undone === undefined) return;
    for (const path of paths) if (undone.paths.delete(path) && !this.untold.has(seq)) this.back.add(path);
  }
}

function linesOf(undone: Undone | undefined): string[] {
  if (undone === undefined) return [];
  return [...undone.paths].flatMap((path) => {
    const hunks = undone.hunks.filter((hunk) => hunk.path === path);
    if (hunks.length > 0) return hunks.map(hunkLine);
    return [`- ${pathLine(path)}: ${undone.isPart ? 'a part of your changes' : 'your changes'}`];
  });
}

/** Says where it was, how many lines it had, and its first one. */
function hunkLine({ path, line, additions, deletions, text }: Undone['hunks'][number]): string {
  const said = text === '' ? '' : ` \`${text.replaceAll('`', "'")}\``;
  return `- ${pathLine(path)} line ${line}: +${additions} -${deletions}${said}`;
}

function listOf(lines: readonly string[]): string {
  const different = [...new Set(lines)];
  const more = different.length - maxNamed;
  return [...different.slice(0, maxNamed), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

/** Puts a path on one line, as a name may hold line ends. */
function pathLine(path: string): string {
  const line = path.replace(/\s+/g, ' ');
  return line.length > maxPath ? `…${line.slice(-maxPath)}` : line;
}
