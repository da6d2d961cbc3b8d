import type { PlannedRestore, Restores } from './restores';

/**
 * Plans to restore the files that a command changed to their state before it. A file that changed again later is a conflict, so
 * that later work is lost only if the user chooses to overwrite it. Changes no file. Throws `AppError`.
 */
export async function planCommandUndo(
  restores: Pick<Restores, 'plan' | 'compare' | 'compareAround'>,
  sessionId: string,
  { before, after }: { before: string; after: string },
): Promise<PlannedRestore> {
  const files = (await restores.compareAround({ before, after })).map(({ file }) => file);
  const { changes } = await restores.compare(sessionId, after);
  const changedSince = new Set(changes.map(({ file }) => file));
  const planned = await restores.plan(sessionId, { kind: 'checkpoint', id: before }, files);
  const steps = planned.steps.map((step) =>
    step.action !== 'keep' && step.action !== 'conflict' && changedSince.has(step.file)
      ? { ...step, action: 'conflict' as const, reason: 'changedSince' as const }
      : step,
  );
  return { ...planned, steps };
}
