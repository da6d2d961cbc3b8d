import type { Resolution, SnapshotState } from '../database/log/answers';
import { mayBeSameName } from '../../utils/files/foldedName';
import type { FileSnapshots } from '../database/sessions/fileSnapshots';
import type { RestoredFile } from '../database/sessions/restoredFiles';
import type { FileSnapshot, OtherSnapshot } from '../database/sessions/snapshotRows';
import { fileMode, type CurrentFile, type FilesOnDisk, type TargetState } from '../files/fileOnDisk';
import type { SnapshotObjects } from '../../types/checkpoint';
import { phrase } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { editsBetween } from '../../utils/text/editedBytes';
import { compareFile, type ComparedFile } from './changedFile';
import { collectEvents, type FileEvent } from './history/fileEvents';
import { followed, type FileHistory, type HistoryFollower } from './history/fileHistory';
import { comparableLines } from './fileHunks';
import { ChangesError } from './reviewTypes';

/** Snapshots of one file that are pending, or that were kept or undone together. */
export interface PendingFile {
  path: string;
  shown: string;
  /** State of the file since the first of the snapshots. Former names are not included. */
  history: FileHistory;
  left: SnapshotState | null | undefined;
  /** Former `path` of a file that the agent renamed. */
  movedFrom: string | null;
  rows: FileSnapshot[];
}

/** Change that is kept or undone as a whole: a file with its former names. */
export interface PendingChange {
  file: PendingFile;
  /** Former names, newest first. No file exists at these paths. */
  origins: PendingFile[];
}

/** Pending change of a chat, with the history of its file under all its names. */
export interface BasedChange extends PendingChange, FileHistory {
  author: string;
}

/** Chat to which snapshots belong, with the snapshots of other chats and the restores of the same files. */
export interface OwnChat {
  author: string;
  ofOthers: readonly OtherSnapshot[];
  restored: readonly RestoredFile[];
}

/** Maximum number of cached comparisons, and of cached histories. */
const maxKnown = 300;

/** Reads the pending changes of a session, and the states of files on disk and in the object store. */
export class PendingFiles {
  /** Last comparison of each file. The key represents the compared contents. */
  private readonly known = new Map<string, { key: string; weave: unknown; compared: ComparedFile | undefined }>();
  /** Histories, by their events. */
  private readonly histories = new Map<string, HistoryFollower>();

  constructor(
    private readonly rows: Pick<FileSnapshots, 'pending' | 'ofOtherSessions' | 'restored'>,
    private readonly objects: SnapshotObjects,
    private readonly files: FilesOnDisk,
    private readonly logger: Logger,
  ) {}

  async all(sessionId: string): Promise<BasedChange[]> {
    const rows = await this.rows.pending(sessionId);
    const chat = await this.loadChat(sessionId, rows);
    const changes = await joinMoves(await this.groupFiles(rows, chat), (path) => this.files.identityAt(path));
    return Promise.all(
      changes.map(async (change) => ({ ...change, author: sessionId, ...(await this.loadHistory(change, chat)) })),
    );
  }

  /** Returns the chat of a session, with the snapshots of other chats and the restores of the same files. */
  async loadChat(sessionId: string, rows: readonly Pick<FileSnapshot, 'path' | 'createdAt'>[]): Promise<OwnChat> {
    const paths = [...new Set(rows.map(({ path }) => path))];
    if (paths.length === 0) return { author: sessionId, ofOthers: [], restored: [] };
    const ofOthers = await this.rows.ofOtherSessions(sessionId, paths);
    const restored = await this.rows.restored(paths, Math.min(...rows.map(({ createdAt }) => createdAt)));
    return { author: sessionId, ofOthers, restored };
  }

  /** Returns the changes of these paths, or all if `paths` is null. Throws `ChangesError` `reviewGone` if there are none. */
  async wanted(sessionId: string, paths: readonly string[] | null): Promise<BasedChange[]> {
    return selectWanted(await this.all(sessionId), paths);
  }

  /** Compares a file. Returns undefined if no change remains. `current` is the file, if it was already read. */
  async compare(change: BasedChange, current?: CurrentFile): Promise<ComparedFile | undefined> {
    const { path, shown } = change.file;
    const origin = findOrigin(change);
    try {
      const { hash, state } = current ?? (await this.files.read(path, shown));
      const { base, weave, isChanged } = change;
      if (!isChanged) return undefined;
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
      // A file that cannot be compared stays pending.
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
    return this.store(current.state && { bytes: current.state.bytes, mode: fileMode(current) });
  }

  /** Groups snapshots by file, in the order of the first changes. The last snapshot of a file contains the agent's result. */
  async groupFiles(rows: readonly FileSnapshot[], chat: OwnChat): Promise<PendingFile[]> {
    const files = new Map<string, Omit<PendingFile, 'history'>>();
    for (const row of rows) {
      const { path, shown, before, left, movedFrom } = row;
      const file = files.get(path) ?? { path, shown, left, movedFrom, rows: [] };
      file.rows.push(row);
      file.left = left;
      if (before === null) file.movedFrom = movedFrom;
      files.set(path, file);
    }
    const found: PendingFile[] = [];
    for (const file of files.values()) found.push({ ...file, history: await this.followedThrough([file], chat) });
    return found;
  }

  /** Returns the history of a file under its current and former names. `chat` is the chat that was passed to `groupFiles`. */
  async loadHistory(change: PendingChange, chat: OwnChat): Promise<FileHistory> {
    if (findOrigin(change) === undefined) return change.file.history;
    return this.followedThrough([...change.origins].reverse().concat(change.file), chat);
  }

  /** Returns the history of one file. `files` contains its names, former names first. */
  private async followedThrough(
    files: readonly Omit<PendingFile, 'history'>[],
    { author, ofOthers, restored }: OwnChat,
  ): Promise<FileHistory> {
    const paths = new Set(files.map(({ path }) => path));
    const names = files.map(({ rows }) => rows);
    const near = ofOthers.filter(({ path }) => paths.has(path));
    const last = files.at(-1);
    const restores = await this.standingRestores(restored.filter(({ path }) => path === last?.path));
    try {
      const follower = await this.followed(author, collectEvents(author, names, near, restores)).catch((error: unknown) => {
        if (near.length === 0) throw error;
        // A state of another chat is damaged. Treat the changes of the other chats as the user's.
        this.logger.warn(`Could not follow the changes of other chats in ${last?.shown}`, error);
        return this.followed(author, collectEvents(author, names, [], restores));
      });
      return await follower.history();
    } catch (error) {
      // A state is damaged. The file stays pending and can only be kept or undone as a whole.
      this.logger.warn(`Could not follow the changes in ${last?.shown}`, error);
      return { base: names[0]?.[0]?.before ?? null, weave: undefined, last: last?.left, isChanged: true };
    }
  }

  /**
   * Returns the restores of a file. Omits the last restore if it was undone in the editor. In this case, the text is closer to
   * the text before that restore.
   */
  private async standingRestores(restores: readonly RestoredFile[]): Promise<readonly RestoredFile[]> {
    const last = restores.at(-1);
    if (!last?.before || last.state === null) return restores;
    const { path, before, state } = last;
    try {
      const now = (await this.files.read(path, path)).state?.bytes ?? null;
      const contents = await Promise.all([before, state].map(({ hash }) => this.objects.get(hash)));
      const [present, ...known] = comparableLines([now, ...contents]) ?? [];
      const [was = 0, is = 0] = known.map((lines) => changedLines(lines, present ?? []));
      return was < is ? restores.slice(0, -1) : restores;
    } catch (error) {
      this.logger.warn(`Could not compare ${path} with its state before a restore`, error);
      return restores;
    }
  }

  private async followed(author: string, events: readonly FileEvent[]): Promise<HistoryFollower> {
    const key = JSON.stringify([author, events]);
    const known = this.histories.get(key);
    if (known !== undefined) return known;
    const follower = await followed(author, events, this.objects);
    if (this.histories.size >= maxKnown) this.histories.clear();
    this.histories.set(key, follower);
    return follower;
  }
}

/** Returns the number of lines that were removed or added. */
function changedLines(before: readonly string[], after: readonly string[]): number {
  return editsBetween(before, after).reduce((sum, { start, end, lines }) => sum + end - start + lines.length, 0);
}

/**
 * Joins the old and the new path of a renamed file, if a file exists only at the new path. If names that differ only in case are
 * one file, also joins its deletion and creation under these names.
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
    const here = file.history.base === null ? await standing(file.path) : null;
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
      // If a file exists at the old path again, these are two changes. The moved file is treated as created.
      if ((await standing(origin.path)) !== null && !(await isSame(origin.path))) break;
      origins.push(origin);
      taken.add(origin);
      from = origin.history.base === null ? origin.movedFrom : null;
    }
    changes.push({ file, origins });
  }
  return changes.filter(({ file }) => !taken.has(file));
}

/** Returns true if two paths differ only in case or Unicode form. */
export function differsInCase(path: string, other: string): boolean {
  return path !== other && mayBeSameName(path, other);
}

/** Returns the first name of a moved file if the file existed before the agent's changes. */
export function findOrigin({ origins }: PendingChange): PendingFile | undefined {
  const first = origins.at(-1);
  return first === undefined || first.history.base === null ? undefined : first;
}

/** Returns the changes of these paths, or all if `paths` is null. Throws `ChangesError` `reviewGone` if there are none. */
export function selectWanted(changes: readonly BasedChange[], paths: readonly string[] | null): BasedChange[] {
  const wanted = changes.filter(({ file }) => paths?.includes(file.path) ?? true);
  if (wanted.length === 0) throw new ChangesError('reviewGone', phrase('This file has no pending changes.'));
  return wanted;
}

/**
 * Returns true if the last known state of a file is newer than the state that the chat left, because another chat changed the
 * file or hunks were undone. Returns undefined if one of the states is unknown.
 */
export function hasNewerState(left: SnapshotState | null | undefined, { last }: Pick<FileHistory, 'last'>): boolean | undefined {
  return left === undefined || last === undefined ? undefined : (left?.hash ?? null) !== (last?.hash ?? null);
}

/** Returns a file and its former names. */
export function filesIn({ file, origins }: PendingChange): PendingFile[] {
  return [file, ...origins];
}

/** Returns the rows of a change. `undone` is the state of the file before an undo. */
export function toRows(change: PendingChange, undone?: SnapshotState | null): Resolution['rows'] {
  const rows = filesIn(change).flatMap((file) => file.rows.map(({ id }) => ({ id })));
  return rows.map((row, index) => (index === 0 && undone !== undefined ? { ...row, undone } : row));
}
