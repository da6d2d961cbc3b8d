import type { Clock } from '../../utils/clock';
import type { Connection } from './connection';
import { isKnownDead } from './windowOwner';

/** A restore or an undo takes seconds; one that is older was left by a machine that cannot be asked. Milliseconds. */
export const longestOperation = 120_000;
const interval = 100;

/** What changes files outside of runs, and is written down before it does. Every method throws `StorageError`. */
export class Operations {
  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    /** Whether this window is at one. */
    private readonly isBusy: () => boolean,
    private readonly owner: string,
  ) {}

  /** Resolves when no window is in the middle of one. Rejects with `CancelledError` when the signal fires first. */
  async whenNone(signal: AbortSignal): Promise<void> {
    while (await this.isAny()) await this.clock.sleep(interval, signal);
  }

  private async isAny(): Promise<boolean> {
    const rows = await this.connection.read(() =>
      this.connection
        .statement("SELECT owner FROM operations WHERE state = 'running' AND created_at > ?")
        .all(this.clock.now() - longestOperation),
    );
    return rows.some(({ owner }) => (owner === this.owner ? this.isBusy() : !isKnownDead(String(owner))));
  }
}
