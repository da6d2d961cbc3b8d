import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../utils/clock';
import { isCancelled, messageOf } from '../../../utils/errors';
import { StorageError, toStorageError } from '../../database/sqlite/storageError';
import { CheckpointEngine } from './checkpointEngine';
import type { EngineData, EngineFailure, EngineRequest, EngineResponse } from '../engineProtocol';
import { nodeFileSystem } from '../../../utils/files/fileSystem';
import { SnapshotError } from '../snapshotError';

/** Entry point of the checkpoint worker. Handles one request at a time. */

const { shared, ...data } = workerData as EngineData;
const surroundings = {
  fileSystem: nodeFileSystem,
  clock: systemClock,
  isCancelled: () => Atomics.load(shared, 0) !== 0,
  onRead: (share: number) => void Atomics.store(shared, 1, Math.floor(share * 1_000)),
  blockThreadPath: path.join(__dirname, 'blockWorker.js'),
  syncThreadPath: path.join(__dirname, 'syncWorker.js'),
};
let engine: CheckpointEngine | null = null;
let rest: NodeJS.Timeout | undefined;
const restAfterMs = 20_000;

parentPort?.on('message', (request: EngineRequest) => {
  clearTimeout(rest);
  parentPort?.postMessage(answer(request));
  rest = setTimeout(() => engine?.rest(), restAfterMs);
  if (request.subject !== null) return;
  clearTimeout(rest);
  parentPort?.close();
});

function answer({ id, subject, method, args }: EngineRequest): EngineResponse {
  try {
    if (subject === null) {
      engine?.dispose();
      return { id, value: undefined };
    }
    engine ??= new CheckpointEngine({ ...data, ...surroundings });
    // `EngineClient` checks the types of method and arguments. Messages between threads have no types.
    const calls = engine[subject] as unknown as Record<string, (...given: unknown[]) => unknown>;
    return { id, value: calls[method]?.(...args) };
  } catch (error) {
    return { id, failure: toEngineFailure(toStorageError(error)) };
  }
}

function toEngineFailure(error: unknown): EngineFailure {
  if (isCancelled(error)) return { kind: 'cancelled' };
  const message = messageOf(error);
  if (error instanceof StorageError) return { kind: 'storage', code: error.code, message };
  if (error instanceof SnapshotError) return { kind: 'snapshot', code: error.code, message };
  return { kind: 'other', message };
}
