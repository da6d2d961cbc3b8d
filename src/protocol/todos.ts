import { z } from 'zod';

/** Item of the agent's to-do list, in its order. */
export const todoSchema = z.object({ text: z.string(), state: z.enum(['pending', 'in_progress', 'completed']) });
export type Todo = z.infer<typeof todoSchema>;

export function countDone(todos: readonly Todo[]): number {
  return todos.filter(({ state }) => state === 'completed').length;
}
