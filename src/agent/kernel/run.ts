import type { Activity } from '../../protocol/webviewEvents';
import type { ChatMode } from '../../types/modes';

/** `interrupted`: the window goes. */
export type EndReason = 'stopped' | 'interrupted';

/** Run of a session, as those who work for it see it. */
export interface Run {
  readonly sessionId: string;
  readonly mode: ChatMode;
  /** null when no model has been chosen. Another one may be chosen between two steps. */
  readonly model: string | null;
  /** Applies what a message, or a person, has chosen for the steps to come. */
  use(mode: ChatMode, model: string | null): void;
  /** Fires on Stop and when the window goes. */
  readonly signal: AbortSignal;
  /** Reason why it was ended; null as long as nobody has ended it, and absent if only its signal is known. */
  readonly endReason?: EndReason | null;
  /** Says what the run is doing right now. */
  report(activity: Activity): void;
  /** Notes whether the run waits for a person. */
  setWaiting(isWaiting: boolean): Promise<void>;
}

export interface RunResult {
  outcome: 'done' | 'limit' | 'failed';
  /** Requests that the model answered. */
  iterations: number;
}
