import type { Activity } from '../../protocol/webviewEvents';
import type { ChatMode } from '../../types/modes';

/** Reason why a run was ended early. `interrupted` means that the window was closed. */
export type EndReason = 'stopped' | 'interrupted';

export type RunOutcome = RunResult['outcome'] | EndReason;

/** Started run, as returned to the code that started it. */
export interface BegunRun {
  readonly sessionId: string;
  /** Resolves when the run is finished, stored and released, so that the next run can start. Never rejects. */
  readonly ended: Promise<RunOutcome>;
}

/** Run of a session, as seen by the classes that do its work. */
export interface Run {
  readonly sessionId: string;
  readonly mode: ChatMode;
  /** Model of the run, or null if none is chosen. It can change between two steps. */
  readonly model: string | null;
  /** Sets the mode and the model of the next steps. */
  use(mode: ChatMode, model: string | null): void;
  /** Aborted when the user stops the run or the window closes. */
  readonly signal: AbortSignal;
  /** Reason why the run was ended early, or null. Absent if only the run's signal is available. */
  readonly endReason?: EndReason | null;
  /** Shows the current activity of the run. */
  report(activity: Activity): void;
  /** Records whether the run waits for the user. */
  setWaiting(isWaiting: boolean): Promise<void>;
}

export interface RunResult {
  outcome: 'done' | 'limit' | 'failed';
  /** Number of model requests that were answered. */
  iterations: number;
}
