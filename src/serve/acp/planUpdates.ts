import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { DialogEvent } from '../../api/events/eventStream';
import type { PlanItem } from '../../protocol/plan';
import { visibleLine } from '../../protocol/text/visibleText';
import type { Todo } from '../../protocol/todos';

/** Returns the whole plan after an event that sets or changes it: the steps of a plan, or the to-do list after a call. */
export function toPlanUpdates(event: DialogEvent): SessionUpdate[] {
  const todos = readTodos(event);
  if (todos === null) return [];
  const entries = todos.map(({ text, state }) => ({ content: visibleLine(text), priority: 'medium' as const, status: state }));
  return [{ sessionUpdate: 'plan', entries }];
}

function readTodos(event: DialogEvent): Todo[] | null {
  if (event.type === 'plan') {
    const items = event['items'] as readonly PlanItem[];
    return items.map(({ text }) => ({ text: text.replace(/\n.*/s, ''), state: 'pending' }));
  }
  return Array.isArray(event['todos']) ? (event['todos'] as Todo[]) : null;
}
