import type { SnapshotState } from '../database/log/answers';
import type { FileSnapshots, NewSnapshot } from '../database/sessions/fileSnapshots';
import type { MadeFolders } from '../database/sessions/madeFolders';
import type { SnapshotObjects } from '../../types/checkpoint';
import { messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { FileTouch, TouchListener } from '../files/fileChanges';

/** Stores each file durably before a tool changes it. If that fails, nothing is changed. */
export class SnapshotKeeper implements TouchListener {
  /** Snapshots of files about to change, by session and path. */
  private readonly touched = new Map<string, NewSnapshot>();

  constructor(
    private readonly stores: { fileSnapshots: FileSnapshots; madeFolders: Pick<MadeFolders, 'note'> },
    private readonly objects: SnapshotObjects,
    private readonly logger: Logger,
  ) {}

  async beforeTouch({ sessionId, path, shown, before, mode, movedFrom }: FileTouch): Promise<void> {
    const snapshot = { path, shown, before: await this.stored(before, mode), movedFrom };
    await this.stores.fileSnapshots.add(sessionId, snapshot);
    this.touched.set(`${sessionId} ${path}`, snapshot);
  }

  async afterTouch({ sessionId, path, after, mode }: Parameters<TouchListener['afterTouch']>[0]): Promise<void> {
    const key = `${sessionId} ${path}`;
    const snapshot = this.touched.get(key);
    this.touched.delete(key);
    try {
      await this.stores.fileSnapshots.recordResult(sessionId, path, await this.stored(after, mode), snapshot);
    } catch (error) {
      // Undo then asks where it would have merged.
      this.logger.warn('Could not keep what a file was changed to', messageOf(error));
    }
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

/** Stages a file for checkpoints before passing it on, so that they include ignored files that the agent changes. */
export class StagingKeeper implements TouchListener {
  constructor(
    private readonly checkpoints: { stage(sessionId: string, file: string): Promise<void> },
    private readonly next: TouchListener,
  ) {}

  async beforeTouch(touch: FileTouch): Promise<void> {
    await this.checkpoints.stage(touch.sessionId, touch.path);
    await this.next.beforeTouch(touch);
  }

  afterTouch(touch: Parameters<TouchListener['afterTouch']>[0]): Promise<void> {
    return this.next.afterTouch(touch);
  }

  afterFolders(made: readonly string[]): Promise<void> {
    return this.next.afterFolders(made);
  }
}
