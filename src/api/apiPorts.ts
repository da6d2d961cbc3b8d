import type { Core } from '../core/createCore';
import type { ChatMode } from '../types/modes';
import type { Clock } from '../utils/clock';
import type { Logger } from '../utils/logger';

/** Rights of a client: to look, to change sessions and files, to let commands run. Each holds those before it. */
export const apiScopes = ['read', 'write', 'run'] as const;
export type ApiScope = (typeof apiScopes)[number];

/** Services that the API calls: the same that the view does. */
export type ApiServices = Pick<Core, 'database' | 'controller' | 'restores' | 'workSessions' | 'engine' | 'background'>;

/** Surroundings of the API that an editor, or a terminal, provides. */
export interface ApiHost {
  /** Returns the session in front; null without one. */
  currentSession(): string | null;
  /** Returns the model that a mode is set to; null where none is. */
  modelFor(mode: ChatMode): string | null;
  /** Asks a person whether a client may do more than look. Resolves with how long, in milliseconds; null where they decline. */
  askForClient(client: string, scope: ApiScope, signal: AbortSignal): Promise<number | null>;
  /** Asks a person whether files may be written into a folder outside the workspace. */
  askForFolder(client: string, folder: string): Promise<boolean>;
  /** Returns a session as text, piece by piece, without secrets. */
  exportSession(sessionId: string, format: string): Promise<Iterable<string> | AsyncIterable<string>>;
  /** Returns the workspace folders; none where the workspace is not trusted. */
  folders(): { name: string; path: string }[];
  clock: Clock;
  logger: Logger;
}
