import type { StorageErrorCode } from '../database/sqlite/storageError';
import type { CheckpointEngine } from './engine/checkpointEngine';
import type { GitEnvironment } from '../git/repository';
import type { SnapshotErrorCode } from './snapshotError';

/** Holds what the host's thread and the checkpoint worker say to each other. Both are one build, so types suffice. */

export interface EngineData {
  /** The storage root. */
  directory: string;
  /** This window. */
  owner: string;
  environment: GitEnvironment;
  /** Two numbers, shared: not 0 when what is under way should be given up, and how many thousandths of it are done. */
  shared: Int32Array;
}

/** Holds what the worker offers, by subject. */
export type EngineCalls = Pick<CheckpointEngine, 'objects' | 'checkpoints' | 'restores' | 'approvals' | 'histories' | 'care'>;

export interface EngineRequest {
  id: number;
  /** Null: the engine is to be closed. */
  subject: keyof EngineCalls | null;
  method: string;
  args: unknown[];
}

export type EngineFailure =
  | { kind: 'storage'; code: StorageErrorCode; message: string }
  | { kind: 'snapshot'; code: SnapshotErrorCode; message: string }
  | { kind: 'cancelled' }
  | { kind: 'other'; message: string };

export type EngineResponse = { id: number; value: unknown } | { id: number; failure: EngineFailure };
