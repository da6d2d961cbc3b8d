import type { SensitivityPatterns } from '../../utils/sensitivity/fileSensitivity';
import type { LanceState } from './vectors/vectorStore';
import type { MessageAnswer, MessagePlace, MessageWork } from './messages/messageProtocol';

/** Folder of a workspace with all that decides what of it is indexed. */
export interface IndexedRoot {
  /** Real path of the folder. */
  folder: string;
  /** Goes before the paths of what is in it, where the workspace has several folders. */
  prefix: string;
  sensitive: readonly SensitivityPatterns[];
  /** Bytes that the index may take on the disk. */
  maxBytes: number;
  /** True where a person has chosen LanceDB for its vectors. */
  isLance?: boolean;
}

/** Reason why a chunk was found. */
export type FoundBy = 'words' | 'symbol' | 'path' | 'meaning';

/** Piece of a file that was found. Lines count from 1. */
export interface FoundChunk {
  /** From the root, with `/`. */
  path: string;
  first: number;
  last: number;
  /** Names that are defined in it, in order; empty for none. */
  symbols: string[];
  text: string;
  by: FoundBy[];
}

/** Line, from 1, in which a file defines a symbol. */
export interface SymbolPlace {
  path: string;
  line: number;
}

/** State of the index of one root. */
export interface RootState {
  files: number;
  chunks: number;
  /** Chunks that have a vector, or that the model could not embed. */
  vectors: number;
  bytes: number;
  /** True while there is more to read or to cut by its syntax. */
  isBusy: boolean;
  /** True when all files have been seen once. */
  isComplete: boolean;
  /** True where another window keeps this index. */
  isKeptElsewhere: boolean;
  /** True where the index is as large as it may be. */
  isFull: boolean;
  /** True where the vectors were lost by damage: words are found, and nothing is embedded until a person rebuilds the index. */
  isDamaged: boolean;
  /** Null where LanceDB is not chosen. */
  lance: LanceState | null;
}

/** Vector of a query, and the model that it was made by. */
export interface QueryMeaning {
  model: string;
  vector: Float32Array;
  /** Weight of meaning beside words, which count as 1. */
  weight: number;
  /** True where words do not count. */
  isAlone?: boolean;
}

/** Text of a chunk as a model is given it. */
export interface ChunkText {
  id: number;
  hash: string;
  text: string;
}

/** Chunk with its vector; null where the model cannot embed it. */
export interface EmbeddedChunk {
  id: number;
  hash: string;
  vector: Float32Array | null;
}

/** Messages between the host's thread and the codebase worker. Both come from one build, so types suffice. */
export type CodebaseCall =
  /** Compares all files with the index; answered when their words are in it. */
  | { kind: 'sync'; root: IndexedRoot }
  /** Reads single files again; their paths are from the root, with `/`. */
  | { kind: 'touch'; root: IndexedRoot; paths: readonly string[] }
  | { kind: 'search'; root: IndexedRoot; query: string; limit: number; meaning?: QueryMeaning | undefined }
  /** Asks where symbols are defined. */
  | { kind: 'symbols'; root: IndexedRoot; names: readonly string[] }
  /** Asks for chunks without a vector of this model, as plain words or as they are; those of another are removed. */
  | { kind: 'toEmbed'; root: IndexedRoot; model: string; limit: number; asWords: boolean }
  | { kind: 'putVectors'; root: IndexedRoot; model: string; chunks: readonly EmbeddedChunk[] }
  | { kind: 'state'; root: IndexedRoot }
  /** Answered when all is cut by its syntax. */
  | { kind: 'settle'; root: IndexedRoot }
  | { kind: 'recreate'; root: IndexedRoot }
  | { kind: 'remove'; root: IndexedRoot }
  | { kind: 'messages'; place: MessagePlace; work: MessageWork }
  /** Searches a folder or address of LanceDB that a team shares. `model` is the name of the model that the vector is by. */
  | { kind: 'shared'; uri: string; model: string; vector: Float32Array; limit: number }
  | { kind: 'close' };

export type CodebaseRequest = CodebaseCall & { id: number };

export type CodebaseResponse = { id: number } & (
  | { kind: 'found'; chunks: FoundChunk[]; state: RootState }
  | { kind: 'state'; state: RootState }
  /** For each name the places of its definitions, one of each file. */
  | { kind: 'places'; places: SymbolPlace[][] }
  | { kind: 'texts'; chunks: ChunkText[] }
  | { kind: 'put'; isCleared: boolean }
  | { kind: 'messages'; answer: MessageAnswer }
  | { kind: 'shared'; chunks: FoundChunk[] }
  | { kind: 'done' }
  | { kind: 'error'; code: CodebaseErrorCode; message: string }
);

export type CodebaseErrorCode = 'noWords' | 'full' | 'broken' | 'unavailable';

/** Data that the worker is started with. */
export interface CodebaseWorkerData {
  /** Folder in which each root has its index. */
  directory: string;
  /** Folder of the tables of LanceDB; nothing where it is never used. */
  lanceFolder?: string | undefined;
}
