import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../utils/errors';
import { backUpTo } from './upkeep/backup';
import { hasFts5 } from './sqlite/capabilities';
import { checkIntegrity } from './upkeep/integrity';
import { readLog, type LogSlice } from './log/logReader';
import { checkpoint, deleteSessionRows } from './upkeep/maintenance';
import { dropIndex, indexSlice, mergeSlice } from './search/searchIndex';
import { SearchReader } from './search/searchReader';
import { searchEntries, searchSessions } from './search/sessionSearch';
import { deleteStatistics, readStatistics } from './statistics/readStatistics';
import { StorageError } from './sqlite/storageError';
import type { WorkerData, WorkerRequest, WorkerResponse } from './workerProtocol';

/** Entry point of the database worker. It runs long work, one request at a time. */

/** Maximum time to wait for a lock, in milliseconds. Unlike the host thread, this thread may block. */
const timeoutMs = 10_000;
const { file } = workerData as WorkerData;
const reader = new SearchReader(file, timeoutMs);
const searchConditions = { timeoutMs, patienceMs: 150, fts5: hasFts5(), reader };
let isMerging = false;
const unsent = new Map<number, LogSlice[]>();

parentPort?.on('message', (request: WorkerRequest) => {
  void answer(request).then((response) => {
    parentPort?.postMessage(response);
    if (request.kind === 'close') parentPort?.close();
  });
});

async function answer(request: WorkerRequest): Promise<WorkerResponse> {
  try {
    switch (request.kind) {
      case 'read':
        // Read everything first. A read transaction that stays open between messages would prevent the `-wal` file from shrinking.
        unsent.set(request.id, [...readLog(file, request.sessionId, request.range, timeoutMs)]);
        return nextSlice(request.id);
      case 'next':
        return nextSlice(request.id);
      case 'deleteSession':
        return { id: request.id, kind: 'done', changed: deleteSessionRows(file, request.sessionId, timeoutMs) };
      case 'search':
        return {
          id: request.id,
          kind: 'found',
          page: searchSessions(file, request.request, { ...searchConditions, readOnly: request.readOnly }),
        };
      case 'searchEntries':
        return {
          id: request.id,
          kind: 'foundEntries',
          page: searchEntries(file, request.request, { ...searchConditions, readOnly: request.readOnly }),
        };
      case 'dropIndex':
        dropIndex(file, timeoutMs);
        return { id: request.id, kind: 'done', changed: true };
      case 'index':
        return { id: request.id, kind: 'done', changed: hasFts5() && (!indexSlice(file, timeoutMs) || merge()) };
      case 'checkpoint':
        return { id: request.id, kind: 'done', changed: checkpoint(file, timeoutMs) };
      case 'backUp':
        await backUpTo(file, request.target, timeoutMs);
        return { id: request.id, kind: 'done', changed: true };
      case 'checkIntegrity':
        return { id: request.id, kind: 'checked', report: checkIntegrity(file, timeoutMs) };
      case 'statistics': {
        const statistics = readStatistics(file, request.sinceDay, timeoutMs, request.readOnly);
        return { id: request.id, kind: 'statistics', statistics };
      }
      case 'deleteStatistics':
        deleteStatistics(file, timeoutMs);
        return { id: request.id, kind: 'done', changed: true };
      case 'close':
        reader.close();
        return { id: request.id, kind: 'done', changed: false };
    }
  } catch (error) {
    return { id: request.id, kind: 'error', code: error instanceof StorageError ? error.code : 'io', message: messageOf(error) };
  }
}

function merge(): boolean {
  isMerging = mergeSlice(file, timeoutMs, isMerging);
  return isMerging;
}

function nextSlice(id: number): WorkerResponse {
  const slices = unsent.get(id) ?? [];
  const slice = slices.shift();
  if (slices.length === 0) unsent.delete(id);
  if (slice === undefined) return { id, kind: 'error', code: 'io', message: 'No such read' };
  return { id, kind: 'slice', slice, isLast: slices.length === 0 };
}
