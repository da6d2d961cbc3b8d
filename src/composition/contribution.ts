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

/** Holds what a window has from its start, and the ways to what is loaded later. */
export interface WindowServices {
  readonly context: vscode.ExtensionContext;
  readonly logger: vscode.LogOutputChannel;
  readonly settings: Settings;
  /** Answers about servers that the workspace sets. */
  readonly servers: ServerAnswers;
  readonly storage: StorageGate<OpenedStorage>;
  readonly view: ChatViewProvider;
  readonly isDemo: boolean;
  /** Returns the storage root as configured now. */
  readonly folder: () => string;
  /** Loads what a conversation takes, once. */
  readonly chat: () => Promise<Chat>;
  /** Loads what suggests code while somebody types, once. */
  readonly completions: () => Promise<Completions>;
  readonly onDidLoadCompletions: Event<Completions>;
  /** Loads the local API, once; loading does not start it. */
  readonly localApi: () => Promise<LocalApi>;
  /** Loads what talks to the server, once. */
  readonly server: () => Promise<ServerServices>;
  /** Holds what talks to the server, where it is loaded. */
  readonly loadedServer: ServerServices | undefined;
  readonly onDidLoadServer: Event<ServerServices>;
  /** Fires for each open storage, when something first works on it. */
  readonly onDidStartSessions: Event<StoredServices>;
}

/** A part of the editor's surface. It registers itself at the start of a window and loads what it takes when somebody uses it. */
export interface Contribution {
  readonly name: string;
  start(services: WindowServices): Disposable;
}
