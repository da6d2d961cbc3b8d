import { z } from 'zod';

/** Pending changes of the agent, as displayed by the view. */

const changedHunkSchema = z.object({
  id: z.string(),
  /** Line in the current file, from 1. */
  line: z.number().int(),
  /** First new line, or the first old line if there is none. */
  text: z.string(),
  additions: z.number().int(),
  deletions: z.number().int(),
});

/** Position of the cursor: change `current` (from 1; 0 between changes) of `total`. */
export const reviewPositionSchema = z.object({
  current: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  /** Path of the file with the cursor, if it has pending changes. */
  path: z.string().nullable(),
  additions: z.number().int(),
  deletions: z.number().int(),
});
export type ReviewPositionState = z.infer<typeof reviewPositionSchema>;

/** File with pending changes of the agent. */
const changedFileSchema = z.object({
  /** Absolute path. */
  path: z.string(),
  /** Path as displayed in the conversation. */
  shown: z.string(),
  /** Previous path of a renamed file. */
  from: z.string().optional(),
  status: z.enum(['created', 'modified', 'deleted', 'renamed']),
  /** null if lines cannot be compared. */
  lines: z.object({ additions: z.number().int(), deletions: z.number().int() }).nullable(),
  /** Start lines of the changes in the current file, from 1. */
  places: z.array(z.number().int()),
  /** First hunks, which can be kept or undone one by one. Undefined if the file can only be reviewed as a whole. */
  hunks: z.array(changedHunkSchema).optional(),
  /** `seq` of the messages whose changes can be reviewed separately. */
  turns: z.array(z.number().int()).optional(),
});
export type ChangedFileState = z.infer<typeof changedFileSchema>;

export const changesSchema = z.object({
  files: z.array(changedFileSchema),
  /** `seq` of the `review` entries that can be undone. */
  revertible: z.array(z.number().int()),
});
export type ChangesState = z.infer<typeof changesSchema>;
