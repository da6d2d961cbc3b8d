import type { Entry } from './entries';
import type { PlanProgress } from './plan';
import { selectPrompted } from './reducer/promptedEntries';

/** Returns the plan in progress. Returns null if there is none, or if it was completed before the last message. */
export function planInProgress(entries: readonly Entry[]): PlanProgress | null {
  const conversation = selectPrompted(entries);
  const at = conversation.findLastIndex((entry) => entry.type === 'plan' || (entry.type === 'user_input' && entry.data.plan));
  const start = conversation[at];
  if (start?.type !== 'user_input' || start.data.plan === undefined) return null;
  const { planId, items } = start.data.plan;
  const done = new Set<string>();
  for (const entry of conversation.slice(at + 1)) {
    if (entry.type === 'user_input' && done.size === items.length) return null;
    if (entry.type === 'tool_result' && entry.data.doneStep !== undefined) done.add(entry.data.doneStep);
  }
  return { planId, items, done };
}
