import type { ReduceOptions } from '../timeline';
import type { ReplacedMessage } from './replacedMessages';

/** Options of a turn that depend on the rest of the log. */
export interface TurnOptions extends Required<ReduceOptions> {
  /** `seq` of the restore that undid the turn. Null if there is none. */
  undoneBy: number | null;
  /** Reviews of the turn that were undone in this turn or later, with the affected paths. */
  undoneReviews: readonly { seq: number; paths: readonly string[] }[];
  /** Calls of commands in this turn whose changes were undone in this turn or later. */
  undoneCalls: readonly string[];
  /** Earlier versions of the turn's message. Null if there are none. */
  replaced: ReplacedMessage | null;
}
