import type { SessionSnapshot } from '../../protocol/requests/sessionRequests';
import type { ViewPort } from '../../protocol/rpc';
import type { RunState } from '../../protocol/webviewEvents';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { isCancelled } from '../../utils/errors';
import type { Logger } from '../../utils/logger';

/** Polling interval in milliseconds. Polling is needed because other windows send no events. */
const interval = 1000;

export interface FollowedSessions {
  read(sessionId: string, sinceRevision: number): Promise<Pick<SessionSnapshot, 'entries' | 'revision'>>;
  runState(sessionId: string): Promise<RunState>;
}

/** Updates the view for a session that another window runs, until the run ends. */
export class ElsewhereFollower implements Disposable {
  private stop: AbortController | undefined;

  constructor(
    private readonly sessions: FollowedSessions,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Follows a session while another window runs it, starting at a revision. Stops following any other session. */
  follow(sessionId: string, revision: number, view: ViewPort): void {
    this.dispose();
    const stop = new AbortController();
    this.stop = stop;
    this.loop(sessionId, revision, view, stop.signal).catch((error: unknown) => {
      if (!isCancelled(error)) this.logger.error('Could not follow a session of another window', error);
    });
  }

  dispose(): void {
    this.stop?.abort();
    this.stop = undefined;
  }

  private async loop(sessionId: string, from: number, view: ViewPort, signal: AbortSignal): Promise<void> {
    let seen = from;
    for (let state: RunState['state'] = 'elsewhere'; state === 'elsewhere';) {
      await this.clock.sleep(interval, signal);
      const run = await this.sessions.runState(sessionId);
      const { entries, revision } = await this.sessions.read(sessionId, seen);
      if (signal.aborted) return;
      const newest = entries.find((entry) => entry.revision === revision);
      // The view detects missing revisions and requests them.
      if (revision > seen && newest) view.emit('log', { kind: 'entry', sessionId, revision, entry: newest });
      if (run.state !== 'elsewhere') view.emit('runState', run);
      seen = revision;
      state = run.state;
    }
  }
}
