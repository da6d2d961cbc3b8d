import { z } from 'zod';

/** Changes of the agent that wait for an answer, as the view shows them. */

/** A change within a file. */
const changedHunkSchema = z.object({
  id: z.string(),
  /** From 1, in the file as it is now. */
  line: z.number().int(),
  /** Its first new line or, where there is none, its first old one. */
  text: z.string(),
  additions: z.number().int(),
  deletions: z.number().int(),
});
export type ChangedHunkState = z.infer<typeof changedHunkSchema>;

/** Change `current` (from 1; 0 between two) of `total`, by where the cursor is. */
export const reviewPositionSchema = z.object({
  current: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  /** Path of the file that the cursor is in, if it waits for an answer. */
  path: z.string().nullable(),
  additions: z.number().int(),
  deletions: z.number().int(),
});
export type ReviewPositionState = z.infer<typeof reviewPositionSchema>;

/** A file that the agent has changed and a person has not answered for. */
export const changedFileSchema = z.object({
  /** Absolute. */
  path: z.string(),
  /** Path as the conversation names it. */
  shown: z.string(),
  /** Former name of a renamed file. */
  from: z.string().optional(),
  status: z.enum(['created', 'modified', 'deleted', 'renamed']),
  /** Null where lines cannot be compared. */
  lines: z.object({ additions: z.number().int(), deletions: z.number().int() }).nullable(),
  /** Lines of the file as it is now, from 1, at which a change begins. */
  places: z.array(z.number().int()),
  /** Its first changes, to be answered one by one; none where it is answered as a whole only. */
  hunks: z.array(changedHunkSchema).optional(),
  /** `seq` of the messages that can be answered for here by themselves. */
  turns: z.array(z.number().int()).optional(),
});
export type ChangedFileState = z.infer<typeof changedFileSchema>;
