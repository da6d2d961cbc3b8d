import type { Resolution, SnapshotState } from '../database/log/answers';
import { foldedName } from '../../utils/files/foldedName';
import type { FileSnapshots } from '../database/sessions/fileSnapshots';
import type { FileSnapshot, OtherSnapshot } from '../database/sessions/snapshotRows';
import { modeOf, type CurrentFile, type FilesOnDisk, type TargetState } from '../files/fileOnDisk';
import type { SnapshotObjects } from '../../types/checkpoint';
import { phrase } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { compareFile, type ComparedFile } from './changedFile';
import { eventsOf, followed, type FileEvent, type FileHistory, type HistoryFollower } from './fileHistory';
import { ChangesError } from './reviewTypes';

/** Snapshots of one file that are pending, or were answered together. */
export interface PendingFile {
  path: string;
  shown: string;
  before: SnapshotState | null;
  left: SnapshotState | null | undefined;
  /** Former `path` of a file that the agent renamed. */
  movedFrom: string | null;
  rows: FileSnapshot[];
}

/** Change that is answered as a whole: a file with its former names. */
export interface PendingChange {
  file: PendingFile;
  /** Newest first. No file exists at these paths. */
  origins: PendingFile[];
}

/** A pending change of a chat, with what has become of its file. */
export interface BasedChange extends PendingChange, FileHistory {
  author: string;
}

/** Stands for the chat of the given snapshots. */
const ownChat = 'own';

/** Number of cached comparisons. */
const maxKnown = 300;
/** Number of cached histories. */
const maxHistories = 50;

/** Reads the pending changes of a session, and file states on disk and in the object store. */
export class PendingFiles {
  /** Last comparison of each file, keyed by the compared contents. */
  private readonly known = new Map<string, { key: string; weave: unknown; compared: ComparedFile | undefined }>();
  /** Histories, by their events. */
  private readonly histories = new Map<string, HistoryFollower>();

  constructor(
    private readonly rows: Pick<FileSnapshots, 'pending' | 'ofOtherSessions'>,
    private readonly objects: SnapshotObjects,
    private readonly files: FilesOnDisk,
    private readonly logger: Logger,
  ) {}

  async all(sessionId: string): Promise<BasedChange[]> {
    const rows = await this.rows.pending(sessionId);
    const paths = [...new Set(rows.map(({ path }) => path))];
    const ofOthers = paths.length === 0 ? [] : await this.rows.ofOtherSessions(sessionId, paths);
    const files = await this.filesOf(rows, ofOthers, sessionId);
    const changes = await joinMoves(files, (path) => this.files.identityAt(path));
    return Promise.all(
      changes.map(async (change) => ({ ...change, author: sessionId, ...(await this.historyOf(change, ofOthers, sessionId)) })),
    );
  }

  /** `paths` null: all pending files. Throws `ChangesError` `reviewGone` if none is pending. */
  async wanted(sessionId: string, paths: readonly string[] | null): Promise<BasedChange[]> {
    const changes = await this.all(sessionId);
    const wanted = paths === null ? changes : changes.filter(({ file }) => paths.includes(file.path));
    if (wanted.length === 0) throw new ChangesError('reviewGone', phrase('This file has no pending changes.'));
    return wanted;
  }

  /** Returns undefined if no change remains. `current`: the file, if already read. */
  async compare(change: BasedChange, current?: CurrentFile): Promise<ComparedFile | undefined> {
    const { path, shown } = change.file;
    const origin = originOf(change);
    try {
      const { hash, state } = current ?? (await this.files.read(path, shown));
      const { base, weave } = change;
      if (origin === undefined && hash === (base?.hash ?? null)) return undefined;
      const first = (origin ?? change.file).rows[0]?.before ?? null;
      const key = JSON.stringify([change.author, shown, origin?.shown, first?.hash, base?.hash, hash]);
      const known = this.known.get(path);
      if (known?.key === key && known.weave === weave) return known.compared;
      const now = state?.bytes ?? null;
      const before = base === null ? null : await this.objects.get(base.hash);
      const isMoved = first !== null && first.hash !== base?.hash;
      const contents = {
        original: isMoved ? await this.objects.get(first.hash) : before,
        before,
        now,
      };
      const compared = compareFile({ path, shown, ...(origin && { from: origin.shown }) }, contents, change);
      if (this.known.size >= maxKnown) this.known.clear();
      this.known.set(path, { key, weave, compared });
      return compared;
    } catch (error) {
      // A file that cannot be compared is still pending.
      this.logger.warn(`Could not compare ${shown}`, error);
      return { path, shown, status: 'modified', lines: null, places: [1], texts: null, hunks: [] };
    }
  }

  /** Loads the content of a state. Throws if it is not stored. */
  async load(state: SnapshotState | null): Promise<TargetState> {
    return state && { bytes: Buffer.from(await this.objects.get(state.hash)), mode: state.mode };
  }

  async store(state: TargetState): Promise<SnapshotState | null> {
    if (state === null) return null;
    const [hash] = await this.objects.put([state.bytes]);
    return hash === undefined ? null : { hash, mode: state.mode };
  }

  storeCurrent(current: CurrentFile): Promise<SnapshotState | null> {
    return this.store(current.state && { bytes: current.state.bytes, mode: modeOf(current) });
  }

  /** Groups snapshots by file, in the order of the first changes. The last snapshot of a file has the agent's result. */
  async filesOf(
    rows: readonly FileSnapshot[],
    ofOthers: readonly OtherSnapshot[] = [],
    author = ownChat,
  ): Promise<PendingFile[]> {
    const files = new Map<string, PendingFile>();
    for (const row of rows) {
      const { path, shown, before, left, movedFrom } = row;
      const file = files.get(path) ?? { path, shown, before, left, movedFrom, rows: [] };
      file.rows.push(row);
      file.left = left;
      if (before === null) file.movedFrom = movedFrom;
      files.set(path, file);
    }
    for (const file of files.values()) file.before = (await this.historyOf({ file, origins: [] }, ofOthers, author)).base;
    return [...files.values()];
  }

  /** Returns what has become of a file, followed through its former names. */
  async historyOf(change: PendingChange, ofOthers: readonly OtherSnapshot[] = [], author = ownChat): Promise<FileHistory> {
    const origin = originOf(change);
    const files = origin === undefined ? [change.file] : [...change.origins].reverse().concat(change.file);
    const paths = new Set(files.map(({ path }) => path));
    const names = files.map(({ rows }) => rows);
    const near = ofOthers.filter(({ path }) => paths.has(path));
    try {
      const follower = await this.followed(author, eventsOf(author, names, near)).catch((error: unknown) => {
        if (near.length === 0) throw error;
        // Without a damaged state of another chat, that chat's changes count as those of others.
        this.logger.warn(`Could not follow the changes of other chats in ${change.file.shown}`, error);
        return this.followed(author, eventsOf(author, names));
      });
      // Stores the base again: nothing refers to it.
      return await follower.history();
    } catch (error) {
      // A file with a damaged state is still pending, as a whole.
      this.logger.warn(`Could not follow the changes in ${change.file.shown}`, error);
      return { base: names[0]?.[0]?.before ?? null, weave: undefined, last: change.file.left };
    }
  }

  private async followed(author: string, events: readonly FileEvent[]): Promise<HistoryFollower> {
    const key = JSON.stringify([author, events]);
    const known = this.histories.get(key);
    if (known !== undefined) return known;
    const follower = await followed(author, events, this.objects);
    if (this.histories.size >= maxHistories) this.histories.clear();
    this.histories.set(key, follower);
    return follower;
  }
}

/**
 * Joins both ends of renames if a file exists only at the new path. If names that differ only in case are one file, also joins a deletion
 * and a creation under such names.
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
      here !== null && file.left !== null && differsInCase(path, file.path) && (await standing(path)) === here;
    const otherCase = async () => {
      for (const { path } of files) if (await isSame(path)) return path;
      return null;
    };
    let from = here === null ? null : (file.movedFrom ?? (await otherCase()));
    while (from !== null) {
      const origin = byPath.get(from);
      if (origin === undefined || origin === file || taken.has(origin)) break;
      // If a file exists at the old path again, each end is a change: the moved file counts as created.
      if ((await standing(origin.path)) !== null && !(await isSame(origin.path))) break;
      origins.push(origin);
      taken.add(origin);
      from = origin.before === null ? origin.movedFrom : null;
    }
    changes.push({ file, origins });
  }
  return changes.filter(({ file }) => !taken.has(file));
}

/** Returns true if two paths differ only in case or Unicode form. */
export function differsInCase(path: string, other: string): boolean {
  return path !== other && foldedName(path) === foldedName(other);
}

/** Returns the first name of a moved file, if the file existed before the agent's changes. */
export function originOf({ origins }: PendingChange): (PendingFile & { before: SnapshotState }) | undefined {
  const first = origins.at(-1);
  return first === undefined || first.before === null ? undefined : { ...first, before: first.before };
}

/** Returns a file and its former names. */
export function filesIn({ file, origins }: PendingChange): PendingFile[] {
  return [file, ...origins];
}

/** Returns the rows that an answer to a change covers. `undone`: state of the file before an undo. */
export function rowsOf(change: PendingChange, undone?: SnapshotState | null): Resolution['rows'] {
  const rows = filesIn(change).flatMap((file) => file.rows.map(({ id }) => ({ id })));
  return rows.map((row, index) => (index === 0 && undone !== undefined ? { ...row, undone } : row));
}
