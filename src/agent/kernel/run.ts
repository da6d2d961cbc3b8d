import type { Activity } from '../../protocol/webviewEvents';
import type { ChatMode } from '../../types/modes';

/** `interrupted`: the window closes. */
export type EndReason = 'stopped' | 'interrupted';

/** Outcome of a run that is over. */
export type RunOutcome = RunResult['outcome'] | EndReason;

/** Run that has begun, for the caller that began it. */
export interface BegunRun {
  readonly sessionId: string;
  /** Resolves when this run is over, stored and released, so that another can begin. Never rejects. */
  readonly ended: Promise<RunOutcome>;
}

/** Run of a session, as seen by the classes that work for it. */
export interface Run {
  readonly sessionId: string;
  readonly mode: ChatMode;
  /** null when no model is chosen. The model can change between two steps. */
  readonly model: string | null;
  /** Sets the mode and the model of the next steps. */
  use(mode: ChatMode, model: string | null): void;
  /** Fires when the user stops the run and when the window closes. */
  readonly signal: AbortSignal;
  /** Reason of the end; null while the run is not ended, absent if only its signal is known. */
  readonly endReason?: EndReason | null;
  /** Shows the current activity of the run. */
  report(activity: Activity): void;
  /** Records whether the run waits for the user. */
  setWaiting(isWaiting: boolean): Promise<void>;
}

export interface RunResult {
  outcome: 'done' | 'limit' | 'failed';
  /** Number of requests that the model answered. */
  iterations: number;
}
