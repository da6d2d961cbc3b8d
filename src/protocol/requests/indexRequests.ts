import { z } from 'zod';
import { line, name, none } from './shared';

const count = z.number().int().nonnegative();

const indexStatusSchema = z.object({
  /** False if the setting `search.enabled` is off. */
  isEnabled: z.boolean(),
  files: count,
  chunks: count,
  /** Number of chunks that have vectors or cannot be embedded. */
  vectors: count,
  bytes: count,
  /** False during the first indexing. */
  isComplete: z.boolean(),
  /** Embedding model. Null if none is selected. */
  model: z.string().nullable(),
  /** Downloaded model to suggest if none is selected. */
  suggestion: z.string().nullable(),
  isPaused: z.boolean(),
  /** True if an index has reached `search.maxStorageMB`. */
  isFull: z.boolean(),
  /** True if vectors were lost because of damage. Nothing is embedded until the index is rebuilt. */
  isDamaged: z.boolean(),
  /** Number of chunks embedded per second. Null while no embedding is running. */
  rate: z.number().nullable(),
  /** State of LanceDB, if selected. `trouble` is the reason why the built-in store is used instead. */
  lance: z.object({ trouble: z.string().nullable() }).nullable(),
  /** Shared index of the team, if configured. `trouble` is the reason why it returned no results. */
  shared: z.object({ uri: z.string(), trouble: z.string().nullable() }).nullable(),
});
export type IndexStatus = z.infer<typeof indexStatusSchema>;

export const indexRequests = {
  /** Returns the definition of each symbol (`name` or `Type.member`) in the workspace. Null if there is no definition or more than one. */
  findSymbols: {
    params: z.object({ names: z.array(name.max(200)).max(200) }),
    result: z.object({ found: z.array(z.object({ path: z.string(), startLine: line }).nullable()) }),
  },
  readIndex: { params: none, result: indexStatusSchema },
  /** Pauses embedding until the user resumes it or the window reloads. Keyword search still works. */
  pauseIndex: { params: z.object({ isPaused: z.boolean() }), result: none },
  /** Rebuilds the index. This embeds everything again. */
  rebuildIndex: { params: none, result: none },
  /** Deletes the index and disables search after a confirmation. */
  deleteIndex: { params: none, result: z.object({ isDeleted: z.boolean() }) },
} as const;
