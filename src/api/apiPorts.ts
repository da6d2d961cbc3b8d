import type { Core } from '../core/createCore';
import type { ImportReport } from '../services/import/importReport';
import type { ChatMode } from '../types/modes';
import type { Clock } from '../utils/clock';
import type { Logger } from '../utils/logger';

/** Scopes of a client: read, change sessions and files, run commands. Each scope includes the previous ones. */
export const apiScopes = ['read', 'write', 'run'] as const;
export type ApiScope = (typeof apiScopes)[number];

/** Services that the API calls, shared with the view. */
export type ApiServices = Pick<
  Core,
  'database' | 'controller' | 'restores' | 'workSessions' | 'engine' | 'background' | 'grants' | 'sandboxLevelAvailable'
>;

export interface ApiHost {
  currentSession(): string | null;
  /** Returns true if a user at the editor or terminal can answer the agent. Otherwise, only clients can. */
  hasPerson(): boolean;
  /** Returns the model of a mode, or null if none is set. */
  modelFor(mode: ChatMode): string | null;
  /** Asks the user to grant a scope to a client. Resolves with the duration in milliseconds, or with null if the user declines. */
  askForClient(client: string, scope: ApiScope, signal: AbortSignal): Promise<number | null>;
  /** Asks the user whether a client is allowed to write files to a folder outside the workspace. */
  askForFolder(client: string, folder: string): Promise<boolean>;
  /** Returns a session as text in chunks, without secrets. */
  exportSession(sessionId: string, format: string): Promise<Iterable<string> | AsyncIterable<string>>;
  /** Imports the sessions in these files and folders. */
  importSessions(paths: readonly string[]): Promise<ImportReport>;
  /** Returns the workspace folders. Returns none if the workspace is not trusted. */
  folders(): { name: string; path: string }[];
  clock: Clock;
  logger: Logger;
}
