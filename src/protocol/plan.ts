import { z } from 'zod';
import type { Todo } from './todos';

/** Step of a plan. All entries of its implementation contain its ID as `planItemId`. */
export const planItemSchema = z.object({ id: z.string(), text: z.string() });
export type PlanItem = z.infer<typeof planItemSchema>;

export const planSchema = z.object({ planId: z.string(), items: z.array(planItemSchema) });
export type Plan = z.infer<typeof planSchema>;

export interface PlanProgress extends Plan {
  done: ReadonlySet<string>;
}

/** Returns the current step, which is the first step that is not done. */
export function currentStep({ items, done }: PlanProgress): PlanItem | undefined {
  return items.find(({ id }) => !done.has(id));
}

/** Returns the steps as a to-do list. */
export function planTodos(plan: PlanProgress): Todo[] {
  const current = currentStep(plan);
  return plan.items.map((item) => {
    return {
      text: item.text.replace(/\n.*/s, ''),
      state: plan.done.has(item.id) ? 'completed' : item === current ? 'in_progress' : 'pending',
    };
  });
}

export function planText(items: readonly PlanItem[]): string {
  return items.map(({ text }, index) => `${index + 1}. ${text.replaceAll('\n', '\n   ')}`).join('\n');
}
