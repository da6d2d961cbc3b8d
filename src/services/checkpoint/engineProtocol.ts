import type { StorageErrorCode } from '../database/sqlite/storageError';
import type { CheckpointEngine } from './engine/checkpointEngine';
import type { GitEnvironment } from '../git/repository';
import type { SnapshotErrorCode } from './snapshotError';

/** Startup data of the checkpoint worker. Both threads use the same build, so no runtime validation is needed. */

export interface EngineData {
  /** Storage root. */
  directory: string;
  /** Id of this window. */
  owner: string;
  environment: GitEnvironment;
  /** Shared numbers. `[0]` is not 0 if the current call should be canceled. `[1]` is the progress of `verify` in thousandths. */
  shared: Int32Array;
}

/** Calls that the worker supports, by subject. */
export type EngineCalls = Pick<CheckpointEngine, 'objects' | 'checkpoints' | 'restores' | 'approvals' | 'histories' | 'care'>;

export interface EngineRequest {
  id: number;
  /** Subject of the call. Null closes the engine. */
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
