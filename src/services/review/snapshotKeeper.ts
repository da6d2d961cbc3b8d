import type { SnapshotState } from '../database/log/answers';
import type { FileSnapshots, NewSnapshot } from '../database/sessions/fileSnapshots';
import type { MadeFolders } from '../database/sessions/madeFolders';
import type { SnapshotObjects } from '../../types/checkpoint';
import { messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { FileTouch, FinishedTouch, TouchListener } from '../files/fileTouch';

/** Stores each file durably before a tool changes it. If storing fails, the tool changes nothing. */
export class SnapshotKeeper implements TouchListener {
  /** Snapshots of files that are about to change, by session and path. `row` is the id of the row that was added for the snapshot. */
  private readonly touched = new Map<string, { snapshot: NewSnapshot; row: number | null }>();

  constructor(
    private readonly stores: { fileSnapshots: FileSnapshots; madeFolders: Pick<MadeFolders, 'note'> },
    private readonly objects: SnapshotObjects,
    private readonly logger: Logger,
  ) {}

  async beforeTouch({ sessionId, path, shown, before, mode, movedFrom }: FileTouch): Promise<void> {
    const snapshot = { path, shown, before: await this.stored(before, mode), movedFrom };
    const row = await this.stores.fileSnapshots.add(sessionId, snapshot);
    this.touched.set(`${sessionId} ${path}`, { snapshot, row });
  }

  async afterTouch({ sessionId, path, before, after, mode }: FinishedTouch): Promise<void> {
    const { snapshot, row } = this.taken(sessionId, path) ?? {};
    try {
      const left = await this.stored(after, mode);
      const found = before && snapshot && { ...snapshot, before: await this.stored(before, snapshot.before?.mode ?? mode) };
      await this.stores.fileSnapshots.recordResult(sessionId, path, left, found ?? snapshot, found && row);
    } catch (error) {
      // Undo then asks the user in cases where it would otherwise merge.
      this.logger.warn('Could not keep what a file was changed to', messageOf(error));
    }
  }

  async withdrawTouch({ sessionId, path }: Pick<FileTouch, 'sessionId' | 'path'>): Promise<void> {
    const row = this.taken(sessionId, path)?.row ?? null;
    if (row === null) return;
    try {
      await this.stores.fileSnapshots.withdraw(sessionId, path, row);
    } catch (error) {
      this.logger.warn('Could not remove the snapshot of a file that was not changed', messageOf(error));
    }
  }

  private taken(sessionId: string, path: string): { snapshot: NewSnapshot; row: number | null } | undefined {
    const key = `${sessionId} ${path}`;
    const touched = this.touched.get(key);
    this.touched.delete(key);
    return touched;
  }

  afterFolders(made: readonly string[]): Promise<void> {
    return this.stores.madeFolders.note(made);
  }

  private async stored(content: Buffer | null, mode: number | null): Promise<SnapshotState | null> {
    if (content === null) return null;
    const [hash] = await this.objects.put([content]);
    return hash === undefined ? null : { hash, mode };
  }
}

/** Stages each file for checkpoints, then passes the event on, so that checkpoints include ignored files that the agent changes. */
export class StagingKeeper implements TouchListener {
  constructor(
    private readonly checkpoints: { stage(sessionId: string, file: string): Promise<void> },
    private readonly next: TouchListener,
  ) {}

  async beforeTouch(touch: FileTouch): Promise<void> {
    await this.checkpoints.stage(touch.sessionId, touch.path);
    await this.next.beforeTouch(touch);
  }

  afterTouch(touch: FinishedTouch): Promise<void> {
    return this.next.afterTouch(touch);
  }

  withdrawTouch(touch: Pick<FileTouch, 'sessionId' | 'path'>): Promise<void> {
    return this.next.withdrawTouch(touch);
  }

  afterFolders(made: readonly string[]): Promise<void> {
    return this.next.afterFolders(made);
  }
}
