import type * as vscode from 'vscode';
import type { Settings } from '../config/settings';
import type { StorageGate } from '../services/database/storageGate';
import type { ServerServices } from '../services/model/connection/serverServices';
import type { Disposable } from '../utils/disposable';
import type { Event } from '../utils/emitter';
import type { ChatViewProvider } from '../views/chatView';
import type { ServerAnswers } from '../vscode/serverAnswers';
import type { Chat } from './chat';
import type { Completions } from './completions';
import type { LocalApi } from './localApi';
import type { OpenedStorage } from './openedStorage';
import type { StoredServices } from './storedServices';

/** Services available from the start of a window, and functions that load the other services. */
export interface WindowServices {
  readonly context: vscode.ExtensionContext;
  readonly logger: vscode.LogOutputChannel;
  readonly settings: Settings;
  /** The user's decisions about servers that a workspace sets. */
  readonly servers: ServerAnswers;
  readonly storage: StorageGate<OpenedStorage>;
  readonly view: ChatViewProvider;
  readonly isDemo: boolean;
  /** Returns the configured storage root. */
  readonly folder: () => string;
  readonly chat: () => Promise<Chat>;
  readonly completions: () => Promise<Completions>;
  readonly onDidLoadCompletions: Event<Completions>;
  /** Loads the local API without starting it. */
  readonly localApi: () => Promise<LocalApi>;
  readonly server: () => Promise<ServerServices>;
  readonly loadedServer: ServerServices | undefined;
  readonly onDidLoadServer: Event<ServerServices>;
  /** Fires once for each open storage, when its services are first used. */
  readonly onDidStartSessions: Event<StoredServices>;
}

/** Feature of the extension. It is registered at the start of a window and loads its services on first use. */
export interface Contribution {
  readonly name: string;
  start(services: WindowServices): Disposable;
}
