import type { SnapshotState } from '../database/log/answers';
import type { FileSnapshots } from '../database/sessions/fileSnapshots';
import type { SnapshotObjects } from '../../types/checkpoint';
import { phrase } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { baseOf } from './baseOf';
import { compareFile, type ComparedFile } from './changedFile';
import { ChangesError } from './changesError';
import { modeOf, type CurrentFile, type FilesOnDisk, type WantedState } from '../files/fileOnDisk';
import { filesOf, joinMoves, originOf, type PendingChange } from './pendingFiles';

/** A change that waits, with what its file would be without what the agent did to it. */
export interface BasedChange extends PendingChange {
  base: SnapshotState | null;
}

/** Comparisons that are remembered. */
const maxKnown = 300;

/** Reads what waits in a session, and the states of its files. */
export class ChangeReader {
  /** The last comparison of each file, by the contents that it was of. */
  private readonly known = new Map<string, { key: string; compared: ComparedFile | undefined }>();

  constructor(
    private readonly rows: Pick<FileSnapshots, 'pending'>,
    private readonly objects: SnapshotObjects,
    private readonly files: FilesOnDisk,
    private readonly logger: Logger,
  ) {}

  async pending(sessionId: string): Promise<BasedChange[]> {
    const files = await filesOf(await this.rows.pending(sessionId), this.objects);
    const changes = await joinMoves(files, (path) => this.files.standing(path));
    return Promise.all(changes.map(async (change) => ({ ...change, base: await this.baseOf(change) })));
  }

  /** `paths` null: all that wait. Throws `ChangesError` `reviewGone` if nothing of them waits. */
  async wanted(sessionId: string, paths: readonly string[] | null): Promise<BasedChange[]> {
    const changes = await this.pending(sessionId);
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
      // What cannot be compared now is still there to be answered.
      this.logger.warn(`Could not compare ${shown}`, error);
      return { path, shown, status: 'modified', lines: null, places: [1], texts: null, hunks: [] };
    }
  }

  async wantedOf(state: SnapshotState | null): Promise<WantedState> {
    return state === null ? null : { bytes: Buffer.from(await this.objects.get(state.hash)), mode: state.mode };
  }

  stored(current: CurrentFile): Promise<SnapshotState | null> {
    return this.storedAs(current.state && { bytes: current.state.bytes, mode: modeOf(current) });
  }

  async storedAs(state: WantedState): Promise<SnapshotState | null> {
    if (state === null) return null;
    const [hash] = await this.objects.put([state.bytes]);
    return hash === undefined ? null : { hash, mode: state.mode };
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
