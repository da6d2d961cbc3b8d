import { z } from 'zod';
import { planItemSchema } from '../../protocol/plan';
import { leftFileSchema, uncoveredSchema } from '../../protocol/restore';
import { todoSchema } from '../../protocol/todos';

/** Schemas of the events by `type`. Later versions can add fields. */

const idx = z.number().int().describe('Number of the entry in the log');
const places = { offset: z.number().int().optional(), is_partial: z.boolean().optional() };
const ahead = z.object({ dialog_id: z.string(), title: z.string(), state: z.string() });
const text = z.string();
const sandboxSchema = z.object({
  denials: z.array(z.object({ kind: z.enum(['network', 'write']), target: text.nullable() })),
  host: text.nullable(),
});

function event<T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.looseObject({ type: z.literal(type), dialog_id: text.optional(), ...shape });
}

/** Events in the log of a dialog. They are part of both the history and the stream. */
const logged = [
  event('user', { idx, content: text, checkpoint: text.nullable(), session: text.nullable() }),
  event('chat', { idx, content: text, end: text.optional(), ...places }),
  event('reasoning', { idx, content: text, ...places }),
  event('tool_call', {
    idx,
    id: text,
    name: text,
    status: z.enum(['running', 'success', 'error', 'cancelled', 'denied']),
    args: z.record(text, z.unknown()).optional(),
    result: text.optional(),
    todos: z.array(todoSchema).optional(),
  }),
  event('plan', { idx, plan: text, items: z.array(planItemSchema) }),
  event('file_edit', {
    idx,
    file: text,
    path: text,
    new_file: text.optional(),
    diff: text,
    operation: text,
    additions: z.number().int(),
    deletions: z.number().int(),
  }),
  event('approval', {
    idx,
    approval: text,
    call_id: text,
    phase: z.enum(['requested', 'decided']),
    kind: text,
    decision: text.optional(),
    decidedBy: text.optional(),
    client: text.optional(),
    isUnanswered: z.boolean().optional(),
    sandbox: sandboxSchema.optional(),
    allowedHost: text.optional(),
  }),
  event('question', { idx, question: text, call_id: text, phase: z.enum(['asked', 'settled']), content: text }),
  event('review', { idx, action: text, scope: text, paths: z.array(text) }),
  event('restore', {
    idx,
    restored_to: text,
    paths: z.array(text),
    operation: text.optional(),
    undoes: text.optional(),
    left: z.array(leftFileSchema).optional(),
    uncovered: uncoveredSchema.optional(),
    from_idx: z.number().int().optional(),
  }),
  event('turns_kept', { idx, restore_idx: z.number().int() }),
  event('command', { idx, call_id: text, files: z.array(z.looseObject({ path: text })), count: z.number().int() }),
  event('error', { idx, error: text, code: text }),
  event('done', { idx, outcome: text }),
] as const;

export const loggedEventSchema = z.discriminatedUnion('type', logged);

export const eventSchema = z.discriminatedUnion('type', [
  ...logged,
  event('queue', {
    messages: z.array(z.object({ id: text, content: text })),
    position: z.number().int().optional(),
    behind: z.array(ahead).optional(),
  }),
]);
