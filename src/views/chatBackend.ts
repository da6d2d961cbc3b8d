import * as vscode from 'vscode';
import type { AttachmentReader } from '../agent/prompt/attachmentReader';
import type { Settings } from '../config/settings';
import { hostRequests, type HostApi, type HostRequestName } from '../protocol/hostApi';
import type { ViewPort } from '../protocol/rpc';
import type { WorkspaceState } from '../protocol/webviewEvents';
import type { ConnectionMonitor } from '../services/model/connection/connectionMonitor';
import type { ModelActions } from '../services/model/catalogue/modelActions';
import type { ModelCatalog } from '../services/model/catalogue/modelCatalog';
import type { OpenedThing, StorageGate } from '../services/database/storageGate';
import type { Clock } from '../utils/clock';
import type { Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';
import type { ChangeReview } from '../vscode/review/changeReview';
import { watchEditorItem } from '../vscode/editorItems';
import type { ChatViewBackend } from './chatConnection';
import { contextHandlers } from './handlers/contextHandlers';
import { editorHandlers } from './handlers/editorHandlers';
import { currentMode, modeKey } from './currentMode';
import { modelHandlers } from './handlers/modelHandlers';
import { hostSystem } from '../services/model/catalogue/hostSystem';
import { SessionBackend, type SessionServices } from './sessionBackend';
import { settingsHandlers, settingsState, type ServerToken } from './handlers/settingsHandlers';
import { storageHandlers } from './handlers/storageHandlers';

const lastSessionKey = 'ollamaCopilot.lastSession';

/** How long the view waits for the storage before it comes up without. Milliseconds. */
const storagePatience = 1000;

export interface ChatServices<T extends OpenedThing> {
  storage: StorageGate<T>;
  /** What works on the open storage: always the same for the same. */
  sessionsOn: (opened: T) => SessionServices;
  connection: ConnectionMonitor;
  catalog: ModelCatalog;
  attachments: AttachmentReader;
  review: ChangeReview;
  actions: ModelActions;
  clock: Clock;
  logger: Logger;
  settings: Settings;
  /** The storage root as configured now. */
  folder: () => string;
  token: ServerToken;
  /** Also of the bearer token. */
  onDidChangeSettings: (listener: () => void) => Disposable;
}

/** The session last shown in this workspace. */
export function currentSession(memento: vscode.Memento): string | null {
  return memento.get<string>(lastSessionKey) ?? null;
}

/** Joins the services to the view: its requests to handlers, their events to the session it shows. What needs the storage asks for it. */
export function createChatBackend<T extends OpenedThing>(services: ChatServices<T>, memento: vscode.Memento): ChatViewBackend {
  const { storage, sessionsOn, connection, catalog, actions, logger } = services;
  let shown = currentSession(memento);
  const show = (sessionId: string | null) => {
    shown = sessionId;
    if (storage.current !== undefined) backendOf(storage.current).refreshContext();
    void memento.update(lastSessionKey, sessionId ?? undefined);
  };
  const selectMode = async (mode: string) => {
    if (mode === currentMode(memento)) return;
    await memento.update(modeKey, mode);
    await catalog.announce();
  };
  const backends = new WeakMap<object, SessionBackend>();
  const backendOf = (opened: T): SessionBackend => {
    const backend =
      backends.get(opened) ??
      new SessionBackend(
        sessionsOn(opened),
        { shown: () => shown, mode: () => currentMode(memento), show, selectMode },
        services,
      );
    backends.set(opened, backend);
    return backend;
  };

  /** A session that cannot be looked up now is not forgotten for that. */
  const lastShown = async (opened: T | undefined): Promise<string | null> => {
    if (shown === null || opened === undefined) return null;
    try {
      if ((await sessionsOn(opened).database.sessions.get(shown)) === undefined) show(null);
      return shown;
    } catch (error) {
      logger.error('Could not look up the session last shown', error);
      return null;
    }
  };

  const always = {
    ...modelHandlers(services, memento),
    ...editorHandlers(logger),
    ...contextHandlers(services.attachments),
    ...settingsHandlers(services),
    ...storageHandlers(storage, services.folder),
    ready: async () => {
      storage.open().catch(() => undefined);
      const opened = await storage.settled(storagePatience);
      const sessionId = await lastShown(opened);
      if (opened !== undefined) backendOf(opened).refreshContext();
      return {
        sessionId,
        mode: currentMode(memento),
        workspace: workspaceState(),
        models: await catalog.state(),
        pulls: actions.state,
        ...(await hostSystem()),
        connection: connection.state,
        storage: storage.state,
        grants: {
          commands: services.settings.getAgentConfig().autoApproveCommands,
          ...{ sensitiveEdits: false, allowedCommands: [], files: [] },
        },
        l10n: bundle(),
      };
    },
    newChat: async () => {
      if (storage.current !== undefined) backendOf(storage.current).leave();
      show(null);
      return Promise.resolve({});
    },
  } satisfies Partial<HostApi>;

  const overStorage =
    (name: HostRequestName) =>
    async (params: never): Promise<unknown> => {
      const { api } = backendOf(await storage.open());
      return (api[name as keyof typeof api] as (params: never) => Promise<unknown>)(params);
    };
  const names = Object.keys(hostRequests) as HostRequestName[];
  const api = { ...Object.fromEntries(names.map((name) => [name, overStorage(name)])), ...always } as unknown as HostApi;

  const attach = (view: ViewPort): vscode.Disposable => {
    let sessions: Disposable | undefined;
    const follow = () => {
      const opened = storage.current;
      // What was lost tells its end yet; only what comes after it takes its place.
      if (opened === undefined) return;
      void sessions?.dispose();
      sessions = backendOf(opened).attach(view);
    };
    follow();
    const subscriptions = [
      storage.onDidChange((state) => {
        follow();
        view.emit('storage', state);
      }),
      connection.onDidChange((state) => view.emit('connection', state)),
      catalog.onDidChange((state) => view.emit('models', state)),
      actions.onDidChange((state) => view.emit('pulls', state)),
      services.onDidChangeSettings(() => {
        settingsState(services)
          .then((state) => view.emit('settings', state))
          .catch((error: unknown) => logger.error('Could not read the settings', error));
      }),
      connection.watch(),
      catalog.watch(),
      vscode.workspace.onDidGrantWorkspaceTrust(() => view.emit('workspace', workspaceState())),
      vscode.workspace.onDidChangeWorkspaceFolders(() => view.emit('workspace', workspaceState())),
      watchEditorItem((item) => view.emit('suggestion', { item })),
    ];
    void connection.check().catch((error: unknown) => logger.error('Could not check the connection', error));
    return new vscode.Disposable(() => {
      void sessions?.dispose();
      for (const subscription of subscriptions) void subscription.dispose();
    });
  };

  return { api, attach };
}

function workspaceState(): WorkspaceState {
  const { isTrusted, name, workspaceFolders } = vscode.workspace;
  return { name: name ?? null, hasFolder: (workspaceFolders?.length ?? 0) > 0, isTrusted };
}

function bundle(): Record<string, string> {
  const texts = vscode.l10n.bundle ?? {};
  return Object.fromEntries(Object.entries(texts).filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}
