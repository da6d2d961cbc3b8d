import type { EntryData } from '../../../protocol/entries';
import type { StepResult } from '../engine/restore/operationRows';
import type { RestoreResult } from '../engine/restore/restoreExecution';

/** Returns the data of a restore's log entry. `shown` returns the name of a file in the conversation. */
export function restoreEntry(
  { operationId, checkpointId, title, undoes, isReset, steps }: RestoreResult,
  shown: (step: StepResult) => string,
): EntryData<'restore'> {
  const isDone = ({ outcome }: StepResult) => outcome === 'done';
  const done = steps.filter(isDone);
  const deleted = done.filter(({ to }) => to === null).map(shown);
  return {
    targetCheckpointId: checkpointId,
    paths: done.map(shown),
    ...(deleted.length > 0 && { deleted }),
    operationId,
    title,
    left: steps.filter((step) => !isDone(step)).map((step) => ({ path: shown(step), reason: toReason(step) })),
    ...(undoes !== null && { undoes }),
    ...(isReset && { isReset }),
  };
}

function toReason({ outcome, reason }: StepResult): NonNullable<EntryData<'restore'>['left']>[number]['reason'] {
  if (outcome === 'failed') return reason === 'damaged' ? reason : 'failed';
  return outcome === 'changed' || reason === null ? 'changed' : reason;
}
