import type { WorkSessions } from '../../services/review/workSessions';
import type { ViewPort } from '../../protocol/rpc';
import { CoalescedTask } from '../../utils/coalescedTask';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { toWorkSession } from '../handlers/restoreHandlers';

/**
 * Updates the differences from the approved state in the view. Runs one comparison at a time. Requests during a comparison
 * cause only one further comparison. Does not read the workspace while the session is running.
 */
export class WorkSessionFeed implements Disposable {
  /** Files reported since the last comparison. Null if other files may also have changed. */
  private hints: Set<string> | null = null;
  private readonly refreshTask = new CoalescedTask(() => this.work());

  constructor(
    private readonly workSessions: Pick<WorkSessions, 'status'>,
    /** Resolves with the active session, or with null while it is running. */
    private readonly shown: () => Promise<string | null>,
    private readonly view: ViewPort,
    private readonly logger: Logger,
    /** Called with the number of files that differ in the active session. */
    private readonly onCount: (count: number) => void,
  ) {}

  /** Updates the differences. `changed` contains absolute paths of all changed files since the last call, or null if unknown. */
  refresh(changed: readonly string[] | null = null): void {
    if (changed === null) this.hints = null;
    else for (const file of changed) this.hints?.add(file);
    this.refreshTask.request();
  }

  dispose(): void {
    this.refreshTask.dispose();
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
    const workSession = toWorkSession(status);
    if (this.refreshTask.isDisposed || (await this.shown()) !== sessionId) return;
    this.onCount(workSession?.count ?? 0);
    this.view.emit('workSession', { sessionId, workSession });
  }
}
