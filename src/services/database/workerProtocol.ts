import type { Statistics } from '../../protocol/requests/statisticsRequests';
import type { IntegrityReport } from './upkeep/integrity';
import type { LogRange, LogSlice } from './log/logReader';
import type { EntrySearchPage, EntrySearchRequest, SearchPage, SearchRequest } from './search/searchResults';
import type { StorageErrorCode } from './sqlite/storageError';

/** Startup data of the database worker. Both threads use the same build, so runtime validation is not needed. */

export interface WorkerData {
  file: string;
}

export type WorkerRequest =
  /** The first slice is the response. `next` with the same id requests each further slice. */
  | { id: number; kind: 'read'; sessionId: string; range: LogRange }
  | { id: number; kind: 'next' }
  | { id: number; kind: 'deleteSession'; sessionId: string }
  | { id: number; kind: 'search'; request: SearchRequest; readOnly: boolean }
  | { id: number; kind: 'searchEntries'; request: EntrySearchRequest; readOnly: boolean }
  | { id: number; kind: 'dropIndex' }
  /** The response is `done`, where `changed` means that there is more to index. */
  | { id: number; kind: 'index' }
  | { id: number; kind: 'checkpoint' }
  | { id: number; kind: 'backUp'; target: string }
  | { id: number; kind: 'checkIntegrity' }
  | { id: number; kind: 'statistics'; sinceDay: number; readOnly: boolean }
  | { id: number; kind: 'deleteStatistics' }
  | { id: number; kind: 'close' };

export type WorkerResponse =
  | { id: number; kind: 'slice'; slice: LogSlice; isLast: boolean }
  | { id: number; kind: 'found'; page: SearchPage }
  | { id: number; kind: 'foundEntries'; page: EntrySearchPage }
  | { id: number; kind: 'done'; changed: boolean }
  | { id: number; kind: 'checked'; report: IntegrityReport }
  | { id: number; kind: 'statistics'; statistics: Statistics }
  | { id: number; kind: 'error'; code: StorageErrorCode; message: string };
