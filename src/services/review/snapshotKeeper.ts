import type { SnapshotState } from '../database/log/answers';
import type { FileSnapshots, NewSnapshot } from '../database/sessions/fileSnapshots';
import type { MadeFolders } from '../database/sessions/madeFolders';
import type { SnapshotObjects } from '../../types/checkpoint';
import { messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { FileTouch, TouchListener } from '../files/fileChanges';

/** Keeps what every file was before a tool changed it: durable before the first byte changes, or nothing is changed. */
export class SnapshotKeeper implements TouchListener {
  /** Snapshots of files that are about to change, by session and path. */
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
      await this.stores.fileSnapshots.leave(sessionId, path, await this.stored(after, mode), snapshot);
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

/** Tells checkpoints of a file before the next keeper hears of it: they take what the agent writes although it is ignored. */
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
