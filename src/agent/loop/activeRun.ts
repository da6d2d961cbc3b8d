import type { Activity, RunState } from '../../protocol/webviewEvents';
import { isAlive } from '../../services/database/sessions/heartbeat';
import { fallbackMode, type ChatMode } from '../../types/modes';
import type { SessionRecord } from '../../types/session';
import type { LogStore } from '../kernel/ports';
import type { EndReason, Run } from '../kernel/run';

interface RunEvents {
  onState(state: RunState): void;
  onWaiting(isWaiting: boolean): Promise<void>;
  now(): number;
}

/** State of one run in this window, with the functions that end it. */
export class ActiveRun implements Run {
  mode: ChatMode = fallbackMode;
  model: string | null = null;
  /** True if the user was notified about a storage failure outside the conversation. */
  isProblemReported = false;
  /** True if a follow-up of this run was queued after the last check. */
  hasNewNext = false;
  /** Settles when the run has ended and is fully stored. Never rejects. */
  done: Promise<unknown> = Promise.resolve();
  private readonly controller = new AbortController();
  private reason: EndReason | null = null;
  private activity: Activity | null = null;
  private beforeWaiting: Activity | null = null;

  constructor(
    readonly sessionId: string,
    private readonly events: RunEvents,
  ) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get endReason(): EndReason | null {
    return this.reason;
  }

  get state(): RunState {
    return { sessionId: this.sessionId, state: this.activity?.kind === 'queued' ? 'queued' : 'running', activity: this.activity };
  }

  use(mode: ChatMode, model: string | null): void {
    this.mode = mode;
    this.model = model;
  }

  report(activity: Activity): void {
    // Other activities are hidden while a run is being stopped.
    if (this.reason !== null && activity.kind !== 'stopping') return;
    this.activity = activity;
    this.events.onState(this.state);
  }

  async setWaiting(isWaiting: boolean): Promise<void> {
    await this.events.onWaiting(isWaiting);
    if (isWaiting) {
      this.beforeWaiting = this.activity;
      this.report({ kind: 'waitingForApproval', since: this.events.now() });
    } else if (this.beforeWaiting !== null) this.report(this.beforeWaiting);
  }

  end(reason: EndReason): void {
    if (this.reason !== null) return;
    this.reason = reason;
    this.report({ kind: 'stopping' });
    this.controller.abort();
  }
}

/** Returns the run state from the record of a session that does not run in this window. */
export function storedState(record: SessionRecord, now: number): RunState['state'] {
  if (record.status !== 'generating' && record.status !== 'waiting_input') return 'idle';
  return isAlive(record, now) ? 'elsewhere' : 'interrupted';
}

/** Returns whether the log contains the end of the last run. The window may have been closed before it released the session. */
export async function hasLoggedEnd(log: Pick<LogStore, 'read'>, { id, revision }: SessionRecord): Promise<boolean> {
  return (await log.read(id, revision - 1)).entries.at(-1)?.type === 'run_end';
}
