import type { Resolution, SnapshotState } from '../database/log/answers';
import type { FileSnapshot, FileSnapshots } from '../database/sessions/fileSnapshots';
import { modeOf, type CurrentFile, type FilesOnDisk, type WantedState } from '../files/fileOnDisk';
import type { SnapshotObjects } from '../../types/checkpoint';
import { phrase } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { baseOf } from './baseOf';
import { compareFile, type ComparedFile } from './changedFile';
import { ChangesError } from './reviewTypes';

/** All snapshots of one file that wait for an answer, or were given one together. */
export interface PendingFile {
  path: string;
  shown: string;
  before: SnapshotState | null;
  left: SnapshotState | null | undefined;
  /** `path` of the file that the agent made this one of. */
  movedFrom: string | null;
  rows: FileSnapshot[];
}

/** Change that is answered as one: a file, with its former names if the agent moved it. */
export interface PendingChange {
  file: PendingFile;
  /** The newest first; nothing stands there any more. */
  origins: PendingFile[];
}

/** A change that waits, with what its file would be without what the agent did to it. */
export interface BasedChange extends PendingChange {
  base: SnapshotState | null;
}

/** Comparisons that are remembered. */
const maxKnown = 300;

/** Reads what is pending in a session, and the states of its files on the disk and in the object store. */
export class PendingFiles {
  /** The last comparison of each file, by the contents that it was of. */
  private readonly known = new Map<string, { key: string; compared: ComparedFile | undefined }>();

  constructor(
    private readonly rows: Pick<FileSnapshots, 'pending'>,
    private readonly objects: SnapshotObjects,
    private readonly files: FilesOnDisk,
    private readonly logger: Logger,
  ) {}

  async all(sessionId: string): Promise<BasedChange[]> {
    const files = await this.filesOf(await this.rows.pending(sessionId));
    const changes = await joinMoves(files, (path) => this.files.standing(path));
    return Promise.all(changes.map(async (change) => ({ ...change, base: await this.baseOf(change) })));
  }

  /** `paths` null: all that wait. Throws `ChangesError` `reviewGone` if nothing of them waits. */
  async wanted(sessionId: string, paths: readonly string[] | null): Promise<BasedChange[]> {
    const changes = await this.all(sessionId);
    const wanted = paths === null ? changes : changes.filter(({ file }) => paths.includes(file.path));
    if (wanted.length === 0) throw new ChangesError('reviewGone', phrase('No change of this file waits for an answer any more.'));
    return wanted;
  }

  /** Returns undefined if nothing of a change stands any more. `current`: the file, if it was read already. */
  async compare(change: BasedChange, current?: CurrentFile): Promise<ComparedFile | undefined> {
    const { path, shown, left } = change.file;
    const origin = originOf(change);
    try {
      const { hash, state } = current ?? (await this.files.read(path, shown));
      const { base } = change;
      if (origin === undefined && hash === (base?.hash ?? null)) return undefined;
      const first = (origin ?? change.file).rows[0]?.before ?? null;
      const key = JSON.stringify([shown, origin?.shown, first?.hash, base?.hash, left === undefined ? '?' : left?.hash, hash]);
      const known = this.known.get(path);
      if (known?.key === key) return known.compared;
      const now = state?.bytes ?? null;
      const before = base === null ? null : await this.objects.get(base.hash);
      const isMoved = first !== null && first.hash !== base?.hash;
      const contents = {
        original: isMoved ? await this.objects.get(first.hash) : before,
        before,
        left: left == null ? left : left.hash === hash ? now : await this.objects.get(left.hash),
        now,
      };
      const compared = compareFile({ path, shown, ...(origin && { from: origin.shown }) }, contents);
      if (this.known.size >= maxKnown) this.known.clear();
      this.known.set(path, { key, compared });
      return compared;
    } catch (error) {
      // A file that cannot be compared now still waits for an answer.
      this.logger.warn(`Could not compare ${shown}`, error);
      return { path, shown, status: 'modified', lines: null, places: [1], texts: null, hunks: [] };
    }
  }

  /** Loads the content of a state. Throws where it is not stored any more. */
  async load(state: SnapshotState | null): Promise<WantedState> {
    return state && { bytes: Buffer.from(await this.objects.get(state.hash)), mode: state.mode };
  }

  async store(state: WantedState): Promise<SnapshotState | null> {
    if (state === null) return null;
    const [hash] = await this.objects.put([state.bytes]);
    return hash === undefined ? null : { hash, mode: state.mode };
  }

  storeCurrent(current: CurrentFile): Promise<SnapshotState | null> {
    return this.store(current.state && { bytes: current.state.bytes, mode: modeOf(current) });
  }

  /** Groups snapshots by their files, in the order of the first touches. The last snapshot of a file says what the agent left. */
  async filesOf(rows: readonly FileSnapshot[]): Promise<PendingFile[]> {
    const files = new Map<string, PendingFile>();
    for (const row of rows) {
      const { path, shown, before, left, movedFrom } = row;
      const file = files.get(path) ?? { path, shown, before, left, movedFrom, rows: [] };
      file.rows.push(row);
      file.left = left;
      if (before === null) file.movedFrom = movedFrom;
      files.set(path, file);
    }
    for (const file of files.values()) file.before = await baseOf(file.rows, this.objects);
    return [...files.values()];
  }

  /** Returns what a file would be without what the agent did to it, followed through all its names. */
  async baseOf(change: PendingChange): Promise<SnapshotState | null> {
    const origin = originOf(change);
    if (origin === undefined) return change.file.before;
    let base: SnapshotState | null = origin.before;
    for (const { rows } of [...change.origins.slice(0, -1).reverse(), change.file]) base = await baseOf(rows, this.objects, base);
    return base;
  }
}

/**
 * Joins the ends of renames where the file is at its new end and nothing is at the old one. Where names that differ only in case are one
 * file, one that was there by the other is at its new end only, also where the agent deleted the one and created the other.
 */
export async function joinMoves(
  files: readonly PendingFile[],
  standing: (path: string) => Promise<string | null>,
): Promise<PendingChange[]> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const taken = new Set<PendingFile>();
  const changes: PendingChange[] = [];
  for (const file of files) {
    const origins: PendingFile[] = [];
    const here = file.before === null ? await standing(file.path) : null;
    const isSame = async (path: string) =>
      here !== null && file.left !== null && isCaseOf(path, file.path) && (await standing(path)) === here;
    const otherCase = async () => {
      for (const { path } of files) if (await isSame(path)) return path;
      return null;
    };
    let from = here === null ? null : (file.movedFrom ?? (await otherCase()));
    while (from !== null) {
      const origin = byPath.get(from);
      if (origin === undefined || origin === file || taken.has(origin)) break;
      // An old place that has a file again has its own change; what came from it is one that was created.
      if ((await standing(origin.path)) !== null && !(await isSame(origin.path))) break;
      origins.push(origin);
      taken.add(origin);
      from = origin.before === null ? origin.movedFrom : null;
    }
    changes.push({ file, origins });
  }
  return changes.filter(({ file }) => !taken.has(file));
}

/** Tells whether two paths differ in case alone, so that they are one file if the file system ignores case. */
export function isCaseOf(path: string, other: string): boolean {
  return path !== other && path.toLowerCase() === other.toLowerCase();
}

/** Returns the file that a moved one was, if it was there before the agent. */
export function originOf({ origins }: PendingChange): (PendingFile & { before: SnapshotState }) | undefined {
  const first = origins.at(-1);
  return first === undefined || first.before === null ? undefined : { ...first, before: first.before };
}

/** Returns a file with all names that it had. */
export function filesIn({ file, origins }: PendingChange): PendingFile[] {
  return [file, ...origins];
}

/** Returns the rows that an answer to a change answers. `undone`: what the file was before an undo. */
export function rowsOf(change: PendingChange, undone?: SnapshotState | null): Resolution['rows'] {
  const rows = filesIn(change).flatMap((file) => file.rows.map(({ id }) => ({ id })));
  return rows.map((row, index) => (index === 0 && undone !== undefined ? { ...row, undone } : row));
}
