import type { BrokenCall } from './callRepair';
import { emptyProblem, shownCallProblem } from './repairOnce';

interface Asked {
  isBySchema?: boolean;
  log: { entries: readonly { content: string }[] };
}

/** Returns the problem of an answer without a call, if calls may be requested with a schema. Otherwise returns null. */
export function lostBySchema({ isBySchema, log }: Asked, hasShownCall: boolean, isAnswer: boolean): BrokenCall | null {
  if (isBySchema !== true) return null;
  if (hasShownCall) return shownCallProblem(log.entries.at(-1)?.content ?? '');
  return isAnswer ? null : emptyProblem;
}
