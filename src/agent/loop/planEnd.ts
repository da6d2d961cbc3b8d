import { randomUUID } from 'node:crypto';
import type { Entry } from '../../protocol/entries';
import { planInProgress } from '../../protocol/planProgress';
import type { RunLog } from '../kernel/runLog';
import { planSteps } from '../prompt/planSteps';

/** Logs the plan at the end of the last answer, if there is one. */
export async function notePlan(log: RunLog): Promise<void> {
  const answer = log.entries.findLast((entry) => entry.type === 'assistant_output' || entry.type === 'user_input');
  if (answer?.type !== 'assistant_output') return;
  const steps = planSteps(answer.content);
  if (steps.length === 0) return;
  const planId = `plan_${randomUUID().slice(0, 8)}`;
  const items = steps.map((text, index) => ({ id: `${planId}_${index + 1}`, text }));
  await log.append({ type: 'plan', data: { planId, items } });
}

/** Returns the hint for a model that ends its work with open plan steps, or undefined if no step is open. */
export function openStepsHint(entries: readonly Entry[]): string | undefined {
  const plan = planInProgress(entries);
  const open = plan?.items.flatMap(({ id }, index) => (plan.done.has(id) ? [] : [index + 1])) ?? [];
  if (open.length === 0) return undefined;
  return (
    `Not ticked off yet: step ${open.join(', ')} of the plan. ` +
    'For each of them that is done, call complete_step. Carry the others out now, or say why that is not possible.'
  );
}
