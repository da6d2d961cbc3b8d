import { z } from 'zod';

/** Pending change of the agent, as shown in the view. */

const changedHunkSchema = z.object({
  id: z.string(),
  /** 1-based line in the current file. */
  line: z.number().int(),
  /** First new line. If the hunk has no new lines, the first old line. */
  text: z.string(),
  additions: z.number().int(),
  deletions: z.number().int(),
});

/** Position of the cursor: at change `current` of `total`. `current` is 1-based. It is 0 if the cursor is not at a change. */
export const reviewPositionSchema = z.object({
  current: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  /** Path of the file that contains the cursor. Null if the file has no pending changes. */
  path: z.string().nullable(),
  additions: z.number().int(),
  deletions: z.number().int(),
});
export type ReviewPositionState = z.infer<typeof reviewPositionSchema>;

/** File with pending changes of the agent. */
const changedFileSchema = z.object({
  /** Absolute path. */
  path: z.string(),
  /** Path as shown in the conversation. */
  shown: z.string(),
  /** Previous path of a renamed file. */
  from: z.string().optional(),
  status: z.enum(['created', 'modified', 'deleted', 'renamed']),
  /** Changed lines. Null if lines cannot be compared. */
  lines: z.object({ additions: z.number().int(), deletions: z.number().int() }).nullable(),
  /** 1-based start lines of the changes in the current file. */
  places: z.array(z.number().int()),
  /** First hunks, which the user can keep or undo one by one. Undefined if the file can only be reviewed as a whole. */
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
