import { z } from 'zod';
import { sessionRef } from './shared';

/** Characters of everything that a person adds to the memory of a chat: each request holds it. */
export const maxOwnMemory = 1000;

const memoryLineSchema = z.object({
  /** `own`: a person added it; `rule`, `said`: a sentence of theirs, word for word; the others are facts of the run. */
  kind: z.enum(['own', 'rule', 'said', 'changed', 'failed']),
  text: z.string(),
  /** Entry that it is from; null for what a person added. */
  seq: z.number().int().nullable(),
  /** True where a person does not want it to be kept when the chat is summarised. */
  isForgotten: z.boolean(),
});
export type MemoryLine = z.infer<typeof memoryLineSchema>;

/** Requests about what is kept of a chat when it is summarised. Both changes resolve with the list as it is then. */
export const memoryRequests = {
  getMemory: { params: sessionRef, result: z.object({ lines: z.array(memoryLineSchema) }) },
  /** Adds a line that each request holds from then on. */
  addMemory: {
    params: sessionRef.extend({ text: z.string().trim().min(1).max(maxOwnMemory) }),
    result: z.object({ lines: z.array(memoryLineSchema) }),
  },
  /** Forgets a line or, with `isForgotten` false, keeps it again; a line of the person's own is removed. */
  forgetMemory: {
    params: sessionRef.extend({ text: z.string(), isForgotten: z.boolean() }),
    result: z.object({ lines: z.array(memoryLineSchema) }),
  },
} as const;
