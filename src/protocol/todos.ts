import { z } from 'zod';

export const todoSchema = z.object({ text: z.string(), state: z.enum(['pending', 'in_progress', 'completed']) });
export type Todo = z.infer<typeof todoSchema>;

export function countDone(todos: readonly Todo[]): number {
  return todos.filter(({ state }) => state === 'completed').length;
}
