import { z } from 'zod';
import { line, name, none } from './shared';

const count = z.number().int().nonnegative();

const indexStatusSchema = z.object({
  /** False if the setting `search.enabled` is off. */
  isEnabled: z.boolean(),
  files: count,
  chunks: count,
  /** Number of chunks that are searchable by meaning or cannot be embedded. */
  vectors: count,
  bytes: count,
  /** False during the first indexing. */
  isComplete: z.boolean(),
  /** Embedding model; null if none is selected. */
  model: z.string().nullable(),
  /** Pulled model to suggest, if none is selected. */
  suggestion: z.string().nullable(),
  isPaused: z.boolean(),
  /** True if an index has reached `search.maxStorageMB`. */
  isFull: z.boolean(),
  /** True if vectors were lost through damage. Nothing is embedded until the index is rebuilt. */
  isDamaged: z.boolean(),
  /** Chunks embedded per second; null while no embedding runs. */
  rate: z.number().nullable(),
  /** LanceDB, if selected. `trouble` is the reason why the built-in store answers instead. */
  lance: z.object({ trouble: z.string().nullable() }).nullable(),
  /** Shared team index, if configured. `trouble` is the reason why it returned nothing. */
  shared: z.object({ uri: z.string(), trouble: z.string().nullable() }).nullable(),
});
export type IndexStatus = z.infer<typeof indexStatusSchema>;

export const indexRequests = {
  /** Returns the single definition of each symbol (`name` or `Type.member`) in the workspace; else null. */
  findSymbols: {
    params: z.object({ names: z.array(name.max(200)).max(200) }),
    result: z.object({ found: z.array(z.object({ path: z.string(), startLine: line }).nullable()) }),
  },
  readIndex: { params: none, result: indexStatusSchema },
  /** Pauses embedding until it is resumed or the window reloads. Word search continues. */
  pauseIndex: { params: z.object({ isPaused: z.boolean() }), result: none },
  /** Rebuilds the index, which embeds everything again. */
  rebuildIndex: { params: none, result: none },
  /** Deletes the index and disables search after a confirmation. */
  deleteIndex: { params: none, result: z.object({ isDeleted: z.boolean() }) },
} as const;
