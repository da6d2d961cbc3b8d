import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../utils/clock';
import { messageOf } from '../../utils/errors';
import { StorageError, toStorageError } from '../database/storageError';
import { CheckpointEngine } from './checkpointEngine';
import type { EngineData, EngineFailure, EngineRequest, EngineResponse } from './engineProtocol';
import { nodeFileSystem } from './fileSystem';
import { SnapshotError } from './snapshotError';

/** Entry point of the worker thread: what reads, hashes and writes files, one request at a time. */

const { directory, owner } = workerData as EngineData;
let engine: CheckpointEngine | null = null;

parentPort?.on('message', (request: EngineRequest) => {
  parentPort?.postMessage(answer(request));
  if (request.method === 'close') parentPort?.close();
});

function answer({ id, method, args }: EngineRequest): EngineResponse {
  try {
    if (method === 'close') {
      engine?.dispose();
      return { id, value: undefined };
    }
    engine ??= new CheckpointEngine({ directory, owner, fileSystem: nodeFileSystem, clock: systemClock });
    return { id, value: (engine[method] as (...given: unknown[]) => unknown)(...args) };
  } catch (error) {
    return { id, failure: failureOf(toStorageError(error)) };
  }
}

function failureOf(error: unknown): EngineFailure {
  const message = messageOf(error);
  if (error instanceof StorageError) return { kind: 'storage', code: error.code, message };
  if (error instanceof SnapshotError) return { kind: 'snapshot', code: error.code, message };
  return { kind: 'other', message };
}
