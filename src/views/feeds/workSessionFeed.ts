import type { WorkSessions } from '../../services/review/workSessions';
import type { ViewPort } from '../../protocol/rpc';
import { CatchUp } from '../../utils/catchUp';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { workSessionOf } from '../handlers/restoreHandlers';

/**
 * Keeps what differs from the approved state true in the view: one comparison at a time, and once more when something came meanwhile. The
 * workspace is looked at only while no run of the session works in it.
 */
export class WorkSessionFeed implements Disposable {
  /** Holds what the editor told since the last comparison; null where that may not be all. */
  private hints: Set<string> | null = null;
  private readonly catchUp = new CatchUp(() => this.work());

  constructor(
    private readonly workSessions: Pick<WorkSessions, 'status'>,
    /** The session in front, null also while it works. */
    private readonly shown: () => Promise<string | null>,
    private readonly view: ViewPort,
    private readonly logger: Logger,
    /** Told how many files differ in the session in front. */
    private readonly onCount: (count: number) => void,
  ) {}

  /** `changed`: absolute paths of all that has changed since the last call; null where that is not known. */
  refresh(changed: readonly string[] | null = null): void {
    if (changed === null) this.hints = null;
    else for (const file of changed) this.hints?.add(file);
    this.catchUp.ask();
  }

  dispose(): void {
    this.catchUp.dispose();
  }

  private async work(): Promise<void> {
    await this.tell().catch((error: unknown) => {
      this.hints = null;
      this.logger.error('Could not compare with the approved state', error);
    });
  }

  private async tell(): Promise<void> {
    const sessionId = await this.shown();
    if (sessionId === null) {
      this.hints = null;
      this.onCount(0);
      return;
    }
    const hints = this.hints ?? undefined;
    this.hints = new Set();
    const status = await this.workSessions.status(sessionId, hints && [...hints]);
    if (status === null) this.hints = null;
    const workSession = workSessionOf(status);
    if (this.catchUp.isDisposed || (await this.shown()) !== sessionId) return;
    this.onCount(workSession?.count ?? 0);
    this.view.emit('workSession', { sessionId, workSession });
  }
}
