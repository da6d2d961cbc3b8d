import type { Disposable } from '../../../utils/disposable';
import { throwIfAborted } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import type { StoredCheckpoints } from '../engine/checkpointRemoval';
import type { VerifiedStorage } from '../engine/care/garbage';
import type { EngineClient } from './engineClient';
import type { SnapshotCare } from '../engine/care/snapshotCare';
import type { Damage } from '../engine/objects/objectDamage';
import type { Workspace } from '../engine/manifests/snapshotTaker';
import type { MadeRoom } from '../engine/care/storageRoom';

export interface VerifyWatch {
  signal?: AbortSignal;
  /** Told now and then how much was read, from 0 to 1. */
  onRead?: (share: number) => void;
}

const tellEveryMs = 200;

export type StoredAccount = ReturnType<SnapshotCare['account']>;

const day = 24 * 60 * 60 * 1_000;

/** Holds what a person does about what checkpoints have stored. What only reads, and may take long, holds up no checkpoint. */
export class StorageCare implements Disposable {
  private opened: EngineClient | null = null;
  private isDisposed = false;
  private verifying: { client: EngineClient; result: Promise<VerifiedStorage> } | null = null;

  constructor(
    private readonly engine: Pick<EngineClient, 'care' | 'checkpoints'>,
    /** Another worker on the same storage. */
    private readonly openReader: () => EngineClient,
    private readonly clock: { now(): number },
    /** Bytes that checkpoints may take on the disk. */
    readonly limit: () => number,
    private readonly logger: Logger,
    /** The folders of which checkpoints are taken; null where there are none. */
    private readonly workspace: () => Workspace | null = () => null,
  ) {}

  /** See `SnapshotCare.account`; read beside what is being stored. */
  account(): Promise<StoredAccount> {
    return this.reader().care.account();
  }

  /**
   * Reads everything that is stored. Who asks while it is under way gets the same answer, and whoever aborts it ends it for all. Throws
   * `CancelledError` then.
   */
  async verify({ signal, onRead }: VerifyWatch = {}): Promise<VerifiedStorage> {
    throwIfAborted(signal);
    const { client, result } = (this.verifying ??= this.startVerifying());
    const stop = (): void => void client.dispose();
    const told = onRead && setInterval(() => onRead(client.shareRead), tellEveryMs);
    signal?.addEventListener('abort', stop);
    try {
      return await result;
    } finally {
      signal?.removeEventListener('abort', stop);
      clearInterval(told);
    }
  }

  /** Collects all that nothing needs, and returns the bytes that are free again. */
  async collectGarbage(): Promise<number> {
    return (await this.engine.care.collectGarbage('full')).bytes;
  }

  /** See `SnapshotCare.heal`. */
  heal(): Promise<Damage> {
    const workspace = this.workspace();
    return workspace === null ? this.engine.care.damage() : this.engine.care.heal(workspace);
  }

  /** Tells how many checkpoints `removeOlder` would remove, and of how many kept files the originals. */
  async countOlder(days: number): Promise<{ checkpoints: number; originals: number }> {
    const [{ care }, time] = [this.reader(), this.daysAgo(days)];
    return { checkpoints: await care.countOlder(time), originals: await care.countOriginals(time) };
  }

  /**
   * Removes checkpoints of all sessions, approved states left out, and originals of files that were kept so long ago; collects what only
   * they needed. Call it only when a person has agreed to it.
   */
  async removeOlder(days: number): Promise<{ removed: number; originals: number; bytes: number }> {
    const time = this.daysAgo(days);
    const removed = await this.engine.care.removeOlder(time);
    const originals = await this.engine.care.releaseOlder(time);
    return { removed, originals, bytes: await this.collectGarbage() };
  }

  /** See `CheckpointRemoval.stored`. */
  stored(sessionId: string, limit: number): Promise<StoredCheckpoints> {
    return this.reader().checkpoints.stored(sessionId, limit);
  }

  /** Throws `SnapshotError` `notFound`. */
  async titleOf(checkpointId: string): Promise<string> {
    return (await this.reader().checkpoints.info(checkpointId)).title;
  }

  /** Removes one and collects what only it needed; returns the bytes that are free again. Throws `SnapshotError` `notFound` or `approved`. */
  async remove(checkpointId: string): Promise<number> {
    await this.engine.checkpoints.remove(checkpointId);
    return this.collectGarbage();
  }

  /** See `StorageRoom.make`. */
  makeRoom(): Promise<MadeRoom> {
    return this.engine.care.makeRoom(this.limit());
  }

  /** Ends its own workers, and a `verify` with them. The engine stays. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await Promise.all([this.opened?.dispose(), this.verifying?.client.dispose()]);
  }

  /** By a worker of its own, which can be given up. */
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

  /** The log has all of it, for whoever looks further. */
  private logged(verified: VerifiedStorage): VerifiedStorage {
    for (const { pack, hash, problem } of verified.problems) this.logger.error(`${pack} ${hash ?? 'as a whole'}: ${problem}`);
    if (verified.files.length > 0) this.logger.error(`Files with damaged states: ${verified.files.join(', ')}`);
    return verified;
  }

  private daysAgo(days: number): number {
    return this.clock.now() - days * day;
  }

  private reader(): Pick<EngineClient, 'care' | 'checkpoints'> {
    // The engine says that it is closed.
    return this.isDisposed ? this.engine : (this.opened ??= this.openReader());
  }
}
