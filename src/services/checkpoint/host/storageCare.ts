import type { Disposable } from '../../../utils/disposable';
import { throwIfAborted } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import type { CheckpointsToRemove, StoredCheckpointList } from '../engine/checkpointRemoval';
import type { VerifiedStorage } from '../engine/care/garbage';
import type { EngineClient } from './engineClient';
import type { SnapshotCare } from '../engine/care/snapshotCare';
import type { Damage } from '../engine/objects/objectDamage';
import type { Workspace } from '../engine/manifests/snapshotTaker';
import type { ReducedStorage } from '../engine/care/storageReducer';

export interface VerifyWatch {
  signal?: AbortSignal;
  /** Called regularly with the fraction read so far, from 0 to 1. */
  onRead?: (share: number) => void;
}

const progressIntervalMs = 200;

export type StoredAccount = ReturnType<SnapshotCare['account']>;

const day = 24 * 60 * 60 * 1_000;

/** Maintains the checkpoint storage on the user's request. Long reads run in other workers, so that no checkpoint has to wait. */
export class StorageCare implements Disposable {
  private opened: EngineClient | null = null;
  private isDisposed = false;
  private verifying: { client: EngineClient; result: Promise<VerifiedStorage> } | null = null;

  constructor(
    private readonly engine: Pick<EngineClient, 'care' | 'checkpoints'>,
    /** Starts another worker on the same storage. */
    private readonly openReader: () => EngineClient,
    private readonly clock: { now(): number },
    /** Returns the size limit of checkpoints, in bytes. */
    readonly limit: () => number,
    private readonly logger: Logger,
    /** Returns the folders that checkpoints cover. Returns null if there are none. */
    private readonly workspace: () => Workspace | null = () => null,
  ) {}

  /** See `SnapshotCare.account`. Can run at the same time as other storage work. */
  account(): Promise<StoredAccount> {
    return this.reader().care.account();
  }

  /**
   * Verifies everything that is stored. Concurrent callers share one run. If one
   * caller aborts, the run ends for all callers and throws `CancelledError`.
   */
  async verify({ signal, onRead }: VerifyWatch = {}): Promise<VerifiedStorage> {
    throwIfAborted(signal);
    const { client, result } = (this.verifying ??= this.startVerifying());
    const stop = (): void => void client.dispose();
    const progressTimer = onRead && setInterval(() => onRead(client.shareRead), progressIntervalMs);
    signal?.addEventListener('abort', stop);
    try {
      return await result;
    } finally {
      signal?.removeEventListener('abort', stop);
      clearInterval(progressTimer);
    }
  }

  /** Collects all garbage. Returns the freed bytes. */
  async collectGarbage(): Promise<number> {
    return (await this.engine.care.collectGarbage('full')).bytes;
  }

  /** See `SnapshotCare.heal`. */
  heal(): Promise<Damage> {
    const workspace = this.workspace();
    return workspace === null ? this.engine.care.damage() : this.engine.care.heal(workspace);
  }

  /**
   * Returns the numbers of checkpoints and of originals of kept files that `removeOlder` would remove. Also returns the folders
   * of the saved Git histories that it would remove.
   */
  async countOlder(days: number): Promise<{ checkpoints: number; originals: number; histories: string[] }> {
    const { care } = this.reader();
    const time = this.daysAgo(days);
    const histories = await care.historiesIn({ olderThan: time });
    return { checkpoints: await care.countOlder(time), originals: await care.countOriginals(time), histories };
  }

  /** See `CheckpointRemoval.historiesIn`. */
  historiesIn(which: CheckpointsToRemove): Promise<string[]> {
    return this.reader().care.historiesIn(which);
  }

  /**
   * Removes checkpoints and the originals of kept files that are older than `days`, in all sessions. Keeps approved states.
   * Collects garbage. Call this only after the user's approval.
   */
  async removeOlder(days: number): Promise<{ removed: number; originals: number; bytes: number }> {
    const time = this.daysAgo(days);
    const removed = await this.engine.care.removeOlder(time);
    const originals = await this.engine.care.releaseOlder(time);
    return { removed, originals, bytes: await this.collectGarbage() };
  }

  /** See `CheckpointRemoval.stored`. */
  stored(sessionId: string, limit: number): Promise<StoredCheckpointList> {
    return this.reader().checkpoints.stored(sessionId, limit);
  }

  /** Throws `SnapshotError` `notFound`. */
  async readTitle(checkpointId: string): Promise<string> {
    return (await this.reader().checkpoints.info(checkpointId)).title;
  }

  /** Removes a checkpoint and collects garbage. Returns the freed bytes. Throws `SnapshotError` `notFound` or `approved`. */
  async remove(checkpointId: string): Promise<number> {
    await this.engine.checkpoints.remove(checkpointId);
    return this.collectGarbage();
  }

  /** See `StorageReducer.reduce`. */
  makeRoom(): Promise<ReducedStorage> {
    return this.engine.care.makeRoom(this.limit());
  }

  /** Stops the additional workers and a running `verify`. Does not close the engine. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await Promise.all([this.opened?.dispose(), this.verifying?.client.dispose()]);
  }

  /** Starts to verify in a separate worker, so that an abort can end it. */
  private startVerifying() {
    const client = this.openReader();
    const result = client.care
      .verify()
      .then((verified) => this.logged(verified))
      .finally(() => {
        this.verifying = null;
        return client.dispose();
      });
    return { client, result };
  }

  /** Writes all problems to the log. */
  private logged(verified: VerifiedStorage): VerifiedStorage {
    for (const { pack, hash, problem } of verified.problems) this.logger.error(`${pack} ${hash ?? 'as a whole'}: ${problem}`);
    if (verified.files.length > 0) this.logger.error(`Files with damaged states: ${verified.files.join(', ')}`);
    return verified;
  }

  private daysAgo(days: number): number {
    return this.clock.now() - days * day;
  }

  private reader(): Pick<EngineClient, 'care' | 'checkpoints'> {
    // If the engine is closed, its calls throw the proper error.
    return this.isDisposed ? this.engine : (this.opened ??= this.openReader());
  }
}
