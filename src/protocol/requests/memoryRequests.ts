import { z } from 'zod';
import { sessionRef } from './shared';

/** Maximum total length in characters of the notes that the user added. Limited because every request contains them. */
export const maxOwnMemory = 1000;

const memoryLineSchema = z.object({
  /**
   * `own`: a note that the user added. `rule` and `said`: a sentence of the user, word for
   * word. The others are facts about the run.
   */
  kind: z.enum(['own', 'rule', 'said', 'changed', 'failed']),
  text: z.string(),
  /** `seq` of the source entry. Null for a note that the user added. */
  seq: z.number().int().nullable(),
  /** True if the user removed the line from the summary. */
  isForgotten: z.boolean(),
});
export type MemoryLine = z.infer<typeof memoryLineSchema>;

/** Requests about the facts that summaries of the chat keep. Both changes resolve with the new list. */
export const memoryRequests = {
  getMemory: { params: sessionRef, result: z.object({ lines: z.array(memoryLineSchema) }) },
  /** Adds a note, which all later requests contain. */
  addMemory: {
    params: sessionRef.extend({ text: z.string().trim().min(1).max(maxOwnMemory) }),
    result: z.object({ lines: z.array(memoryLineSchema) }),
  },
  /** Removes a line from the summary. If `isForgotten` is false, restores it. Notes that the user added are deleted. */
  forgetMemory: {
    params: sessionRef.extend({ text: z.string(), isForgotten: z.boolean() }),
    result: z.object({ lines: z.array(memoryLineSchema) }),
  },
} as const;
