import { z } from 'zod';
import { line, name, none } from './shared';

const count = z.number().int().nonnegative();

const indexStatusSchema = z.object({
  /** False where the setting `search.enabled` is off. */
  isEnabled: z.boolean(),
  files: count,
  chunks: count,
  /** Chunks that are found by meaning, or that the model could not embed. */
  vectors: count,
  bytes: count,
  /** False while files are still being read for the first time. */
  isComplete: z.boolean(),
  /** Model by which meaning is searched; null where none is chosen. */
  model: z.string().nullable(),
  /** Model that could be chosen, where none is and one is pulled. */
  suggestion: z.string().nullable(),
  isPaused: z.boolean(),
  /** True where an index is as large as `search.maxStorageMB` allows. */
  isFull: z.boolean(),
  /** True where vectors were lost by damage: nothing is embedded until the index is rebuilt. */
  isDamaged: z.boolean(),
  /** Chunks embedded in a second; null while nothing is embedded. */
  rate: z.number().nullable(),
  /** LanceDB, where it is chosen; `trouble` says why the built-in store answers instead. */
  lance: z.object({ trouble: z.string().nullable() }).nullable(),
  /** Index that a team shares, where one is set; `trouble` says why it gave nothing. */
  shared: z.object({ uri: z.string(), trouble: z.string().nullable() }).nullable(),
});
export type IndexStatus = z.infer<typeof indexStatusSchema>;

/** Requests about the search index of the workspace. */
export const indexRequests = {
  /** Tells where the workspace defines symbols (`name` or `Type.member`): for each its one place, else null. */
  findSymbols: {
    params: z.object({ names: z.array(name.max(200)).max(200) }),
    result: z.object({ found: z.array(z.object({ path: z.string(), startLine: line }).nullable()) }),
  },
  readIndex: { params: none, result: indexStatusSchema },
  /** Stops embedding until it is asked for again or the window is opened anew; words are found as before. */
  pauseIndex: { params: z.object({ isPaused: z.boolean() }), result: none },
  /** Deletes the index and makes it anew, which embeds everything again. */
  rebuildIndex: { params: none, result: none },
  /** Deletes the index and turns search off, after a person has said yes to it. */
  deleteIndex: { params: none, result: z.object({ isDeleted: z.boolean() }) },
} as const;
