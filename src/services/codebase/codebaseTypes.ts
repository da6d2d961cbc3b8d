import type { FoundChunk, RootState } from './codebaseProtocol';
import type { SharedState } from './sharedSearch';
import type { LanceState } from './vectors/vectorStore';

/** Search result from a workspace file or from the shared team index. */
export interface WorkspaceFind extends FoundChunk {
  /**
   * Real path of the file. `path` is the workspace path. For a result of the
   * shared index, `file` is null and `path` is the path stored in that index.
   */
  file: string | null;
}

export interface WorkspaceFinds {
  finds: WorkspaceFind[];
  /** True while the first indexing is in progress. */
  isPartial: boolean;
}

/** Combined state of the indexes of all folders. */
export interface CodebaseStatus extends Pick<RootState, 'files' | 'chunks' | 'vectors' | 'bytes' | 'isComplete'> {
  isEnabled: boolean;
  /** True if an index has reached its maximum size. */
  isFull: boolean;
  /** True if an index has lost its vectors through damage. They are embedded again after the user rebuilds the index. */
  isDamaged: boolean;
  model: string | null;
  suggestion: string | null;
  isPaused: boolean;
  /** Chunks embedded per second. Null while no embedding runs. */
  rate: number | null;
  /** State of LanceDB, if LanceDB is selected. If several folders use LanceDB, a folder with an error takes precedence. */
  lance: LanceState | null;
  shared: SharedState | null;
}

/** Search method: by words and names, by meaning, or by both. */
export type SearchMethod = 'words' | 'meaning' | 'both';

export interface WorkspaceSearch {
  /** Throws `CodebaseError`. */
  find(query: string, limit: number, signal: AbortSignal, way?: SearchMethod): Promise<WorkspaceFinds>;
}

/** Absolute paths of changed files. Null if any file may have changed. */
export type ChangedFiles = readonly string[] | null;
