import type { SensitivityPatterns } from '../../utils/sensitivity/fileSensitivity';
import type { LanceState } from './vectors/vectorStore';
import type { MessageAnswer, MessagePlace, MessageWork } from './messages/messageProtocol';

/** Workspace folder, with the options that determine what is indexed. */
export interface IndexedRoot {
  folder: string;
  /** Prefix of the workspace paths in this folder. Empty in a workspace with a single folder. */
  prefix: string;
  sensitive: readonly SensitivityPatterns[];
  /** Maximum size of the index on disk, in bytes. */
  maxBytes: number;
  /** True if the user has selected LanceDB for vectors. */
  isLance?: boolean;
}

export type FoundBy = 'words' | 'symbol' | 'path' | 'meaning';

/** Matching part of a file. Line numbers start at 1. */
export interface FoundChunk {
  /** Path from the root, with `/`. */
  path: string;
  first: number;
  last: number;
  /** Names that the chunk defines, in order. */
  symbols: string[];
  text: string;
  by: FoundBy[];
}

/** Position at which a file defines a symbol. `line` starts at 1. */
export interface SymbolPlace {
  path: string;
  line: number;
}

export interface RootState {
  files: number;
  chunks: number;
  /** Number of chunks that have a vector or that the model cannot embed. */
  vectors: number;
  bytes: number;
  /** True while files are being read or chunked by syntax. */
  isBusy: boolean;
  /** True after all files have been indexed once. */
  isComplete: boolean;
  /** True if another window maintains this index. */
  isKeptElsewhere: boolean;
  /** True if the index has reached its maximum size. */
  isFull: boolean;
  /** True if vectors were lost through damage. Word search still works, but embedding waits until the user rebuilds the index. */
  isDamaged: boolean;
  lance: LanceState | null;
}

/** Vector of a query, and the model that produced it. */
export interface QueryMeaning {
  model: string;
  vector: Float32Array;
  /** Weight relative to word matches, which count as 1. */
  weight: number;
  /** True for a search by meaning only. */
  isAlone?: boolean;
}

/** Text of a chunk, prepared for embedding. */
export interface ChunkText {
  id: number;
  hash: string;
  text: string;
}

/** Chunk with its vector. The vector is null if the model cannot embed the chunk. */
export interface EmbeddedChunk {
  id: number;
  hash: string;
  vector: Float32Array | null;
}

/** Requests to the codebase worker. Both sides are in the same build, so the messages are not validated. */
export type CodebaseCall =
  /** Compares all files with the index. The response arrives when all words are indexed. */
  | { kind: 'sync'; root: IndexedRoot }
  /** Reads the given files again. Paths are relative to the root, with `/`. */
  | { kind: 'touch'; root: IndexedRoot; paths: readonly string[] }
  | { kind: 'search'; root: IndexedRoot; query: string; limit: number; meaning?: QueryMeaning | undefined }
  | { kind: 'symbols'; root: IndexedRoot; names: readonly string[] }
  /** Returns chunks without a vector of this model, either as plain words or as code. Deletes the vectors of other models. */
  | { kind: 'toEmbed'; root: IndexedRoot; model: string; limit: number; asWords: boolean }
  | { kind: 'putVectors'; root: IndexedRoot; model: string; chunks: readonly EmbeddedChunk[] }
  | { kind: 'state'; root: IndexedRoot }
  | { kind: 'settle'; root: IndexedRoot }
  | { kind: 'recreate'; root: IndexedRoot }
  | { kind: 'remove'; root: IndexedRoot }
  | { kind: 'messages'; place: MessagePlace; work: MessageWork }
  /** Searches a shared LanceDB folder or address. `model` is the name of the model that produced `vector`. */
  | { kind: 'shared'; uri: string; model: string; vector: Float32Array; limit: number }
  | { kind: 'close' };

export type CodebaseRequest = CodebaseCall & { id: number };

export type CodebaseResponse = { id: number } & (
  | { kind: 'found'; chunks: FoundChunk[]; state: RootState }
  | { kind: 'state'; state: RootState }
  /** Definitions of each name, at most one per file. */
  | { kind: 'places'; places: SymbolPlace[][] }
  | { kind: 'texts'; chunks: ChunkText[] }
  | { kind: 'put'; isCleared: boolean }
  | { kind: 'messages'; answer: MessageAnswer }
  | { kind: 'shared'; chunks: FoundChunk[] }
  | { kind: 'done' }
  | { kind: 'error'; code: CodebaseErrorCode; message: string }
);

export type CodebaseErrorCode = 'noWords' | 'full' | 'broken' | 'unavailable';

export interface CodebaseWorkerData {
  /** Folder that contains the index of each root. */
  directory: string;
  /** Folder of the LanceDB tables. Undefined if LanceDB is never used. */
  lanceFolder?: string | undefined;
}
