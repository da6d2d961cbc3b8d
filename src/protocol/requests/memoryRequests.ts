import { z } from 'zod';
import { sessionRef } from './shared';

/** Maximum total length of the user's memory lines in characters, because every request contains them. */
export const maxOwnMemory = 1000;

const memoryLineSchema = z.object({
  /** `own`: added by the user; `rule`, `said`: a sentence of the user, verbatim; the others are facts of the run. */
  kind: z.enum(['own', 'rule', 'said', 'changed', 'failed']),
  text: z.string(),
  /** Source entry; null for a line that the user added. */
  seq: z.number().int().nullable(),
  /** True if the user does not want to keep the line in the summary. */
  isForgotten: z.boolean(),
});
export type MemoryLine = z.infer<typeof memoryLineSchema>;

/** Requests about what a summary of the chat keeps. Both changes resolve with the new list. */
export const memoryRequests = {
  getMemory: { params: sessionRef, result: z.object({ lines: z.array(memoryLineSchema) }) },
  /** Adds a line to every later request. */
  addMemory: {
    params: sessionRef.extend({ text: z.string().trim().min(1).max(maxOwnMemory) }),
    result: z.object({ lines: z.array(memoryLineSchema) }),
  },
  /** Forgets a line or, with `isForgotten` false, keeps it again. A line that the user added is deleted. */
  forgetMemory: {
    params: sessionRef.extend({ text: z.string(), isForgotten: z.boolean() }),
    result: z.object({ lines: z.array(memoryLineSchema) }),
  },
} as const;
