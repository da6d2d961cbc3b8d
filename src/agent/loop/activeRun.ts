import type { Activity, RunState } from '../../protocol/webviewEvents';
import { isAlive } from '../../services/database/sessions/heartbeat';
import { carefulMode, type ChatMode } from '../../types/modes';
import type { SessionRecord } from '../../types/session';
import type { EndReason, Run } from '../kernel/run';

interface RunEvents {
  onState(state: RunState): void;
  onWaiting(isWaiting: boolean): Promise<void>;
  now(): number;
}

/** Holds a run of this window from the moment it is asked for: its state, and the means to end it. */
export class ActiveRun implements Run {
  mode: ChatMode = carefulMode;
  model: string | null = null;
  /** True once the person was told, outside the conversation, that something could not be stored. */
  isProblemTold = false;
  /** True if something that should follow this run has come since that was last looked up. */
  hasNewNext = false;
  /** Settles when the run is over and all of it is stored; never rejects. */
  done: Promise<void> = Promise.resolve();
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

  /** Reason why the run was ended; null as long as nobody has ended it. */
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
    // Once it is being stopped, that is all there is to say.
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

/** Returns what the record of a session that has no run in this window says of its run. */
export function storedState(record: SessionRecord, now: number): RunState['state'] {
  if (record.status !== 'generating' && record.status !== 'waiting_input') return 'idle';
  return isAlive(record, now) ? 'elsewhere' : 'interrupted';
}
