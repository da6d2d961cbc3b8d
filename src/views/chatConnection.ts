import * as vscode from 'vscode';
import type { AttachmentReader } from '../agent/prompt/attachmentReader';
import { MentionReader, type MentionSources } from '../agent/prompt/mentionReader';
import type { Settings } from '../config/settings';
import type { AttachmentRef } from '../protocol/entries';
import type { ItemInEditor } from '../protocol/webviewEvents';
import type { ModelTested } from '../protocol/requests/completionRequests';
import { hostRequests, type HostApi, type HostRequestName } from '../protocol/hostApi';
import { connectHost, RequestFailure, type Channel, type ViewPort } from '../protocol/rpc';
import type { OpenedServices, StorageGate } from '../services/database/storageGate';
import type { ModelActions } from '../services/model/catalogue/modelActions';
import type { FitTasks } from '../services/model/fit/fitTasks';
import type { MemoryPlanner } from '../services/model/fit/memoryPlanner';
import type { ModelCatalog } from '../services/model/catalogue/modelCatalog';
import type { ConnectionMonitor } from '../services/model/connection/connectionMonitor';
import type { Clock } from '../utils/clock';
import type { Disposable } from '../utils/disposable';
import { Emitter, type Event } from '../utils/emitter';
import { AppError } from '../utils/errors';
import type { Logger } from '../utils/logger';
import { aboutOpenFile, itemsInEditor, watchEditorItems } from '../vscode/editorItems';
import type { CodeProposals } from '../vscode/codeProposals';
import type { ChangeReview } from '../vscode/review/changeReview';
import type { ServerAnswers } from '../vscode/serverAnswers';
import type { ViewConnection } from './chatView';
import { SessionFeed } from './feeds/sessionFeed';
import { ActiveSession } from './activeSession';
import { completionHandlers, type CompletionAccess } from './handlers/completionHandlers';
import { connectionHandlers, type KeptConnections } from './handlers/connectionHandlers';
import { editorHandlers } from './handlers/editorHandlers';
import { fitHandlers } from './handlers/models/fitHandlers';
import { modelHandlers } from './handlers/models/modelHandlers';
import { readyHandlers, workspaceState } from './handlers/readyHandlers';
import { settingsHandlers, settingsState, type ServerToken, type SettingsServices } from './handlers/settingsHandlers';
import { storageHandlers } from './handlers/storageHandlers';
import { storedHandlers } from './handlers/storedHandlers';
import { noResult } from './noResult';
import { viewStateHandlers } from './viewState';
import type { SessionServices } from './sessionServices';

export interface ChatServices<T extends OpenedServices> {
  storage: StorageGate<T>;
  /** Returns the services for an open storage. Always returns the same services for the same storage. */
  sessionsOn: (opened: T) => SessionServices;
  connection: ConnectionMonitor;
  catalog: ModelCatalog;
  attachments: AttachmentReader;
  /** Returns the last command that ran in a terminal of the window. */
  lastTerminal: MentionSources['lastTerminal'];
  review: ChangeReview;
  proposals: Pick<CodeProposals, 'show'>;
  actions: ModelActions;
  fit: FitTasks;
  planner: MemoryPlanner;
  clock: Clock;
  logger: Logger;
  settings: Settings;
  /** User's decisions about servers in workspace settings. */
  servers: ServerAnswers;
  completions: () => Promise<CompletionAccess>;
  /** Fires after each self-test of a completion model. */
  onDidTestModel: Event<ModelTested>;
  keptConnections: KeptConnections;
  /** Returns the configured storage root. */
  folder: () => string;
  token: ServerToken;
  isOffered: SettingsServices['isOffered'];
  /** Calls the listener when settings or the access token change. */
  onDidChangeSettings: (listener: () => void) => Disposable;
}

interface Stored {
  api: ReturnType<typeof storedHandlers>;
  feed: SessionFeed;
}

/** Connects the services to the view. Handles its requests and sends events of the active session. */
export class ChatConnection<T extends OpenedServices> {
  private readonly api: HostApi;
  private readonly activeSession: ActiveSession;
  private readonly known = new WeakMap<object, Stored>();
  /** Latest items in the editor. Results for older items are ignored. */
  private inEditor: readonly AttachmentRef[] = [];
  private readonly sessionShown: Emitter<string | null>;

  constructor(
    private readonly services: ChatServices<T>,
    memento: vscode.Memento,
  ) {
    const { storage, logger, attachments, catalog, sessionsOn } = services;
    this.sessionShown = new Emitter((error) => logger.error('A listener of the session in front failed', error));
    this.activeSession = new ActiveSession(
      memento,
      () => {
        this.current()?.feed.refresh();
        this.sessionShown.fire(this.activeSession.sessionId);
      },
      () => catalog.announce(),
    );
    this.api = {
      ...this.onStorage(),
      ...viewStateHandlers(memento, logger),
      ...modelHandlers(services, memento),
      ...completionHandlers(services, memento),
      ...fitHandlers(services.fit, services.planner),
      ...editorHandlers(logger, attachments, services.proposals, services.lastTerminal),
      ...settingsHandlers(services),
      ...connectionHandlers(services.keptConnections),
      prepare: noResult(({ sessionId, attachments = [], implicit = [] }) =>
        this.current()?.feed.prepare({ sessionId, attachments, implicit }),
      ),
      ...storageHandlers(storage, services.folder),
      ...readyHandlers(services, this.activeSession, {
        sessionsOf: (opened: T) => sessionsOn(opened).database.sessions,
        refresh: (opened: T) => this.storedOn(opened).feed.refresh(),
        leave: () => this.current()?.feed.leave(),
        inEditor: () => this.lookAt(itemsInEditor()),
      }),
    };
  }

  /** ID of the active session. Also set without a view. */
  get shownSession(): string | null {
    return this.activeSession.sessionId;
  }

  get onDidShowSession() {
    return this.sessionShown.event;
  }

  /** Connects a new view. `onReady` is called after the view's `ready` request is answered. */
  connect(channel: Channel, onReady: () => void): ViewConnection {
    const { logger } = this.services;
    const api = reporting(this.api, logger, (name) => {
      // Runs after the response was sent.
      if (name === 'ready') setImmediate(onReady);
    });
    const port = connectHost(channel, api, (problem) => logger.warn(problem));
    const attached = this.attach(port);
    return { port, dispose: () => void attached.dispose() };
  }

  private attach(view: ViewPort): Disposable {
    const { storage, connection, catalog, actions, fit, logger } = this.services;
    let sessions: Disposable | undefined;
    const follow = () => {
      // A lost storage still reports its end, so it stays attached until a new storage replaces it.
      const current = this.current();
      if (current === undefined) return;
      void sessions?.dispose();
      sessions = current.feed.attach(view);
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
      fit.onDidChange((state) => view.emit('fit', state)),
      this.services.onDidTestModel((tested) => view.emit('modelTested', tested)),
      this.services.onDidChangeSettings(() => {
        settingsState(this.services)
          .then((state) => view.emit('settings', state))
          .catch((error: unknown) => logger.error('Could not read the settings', error));
        // A changed setting can affect which items are sent.
        void this.tellInEditor(view, itemsInEditor());
      }),
      connection.watch(),
      catalog.watch(),
      vscode.workspace.onDidGrantWorkspaceTrust(() => view.emit('workspace', workspaceState())),
      vscode.workspace.onDidChangeWorkspaceFolders(() => view.emit('workspace', workspaceState())),
      watchEditorItems((items) => void this.tellInEditor(view, items)),
    ];
    void connection.check().catch((error: unknown) => logger.error('Could not check the connection', error));
    return {
      dispose: () => {
        void sessions?.dispose();
        for (const subscription of subscriptions) void subscription.dispose();
      },
    };
  }

  /** Notifies the view about the items in the editor and whether each is sent with a message. */
  private async tellInEditor(view: ViewPort, items: readonly AttachmentRef[]): Promise<void> {
    this.inEditor = items;
    const told = await this.lookAt(items);
    if (this.inEditor === items) view.emit('inEditor', { items: told });
  }

  private lookAt(items: readonly AttachmentRef[]): Promise<ItemInEditor[]> {
    const { attachments, settings } = this.services;
    const look = async (item: AttachmentRef): Promise<ItemInEditor> => {
      if (!settings.sendsOpenFile) return { item, isSent: false };
      const reason = await attachments.exclusionReason(item);
      return { item, isSent: reason === null, ...(reason === 'secret' && { mayBeSecret: true }) };
    };
    return Promise.all(items.map(look));
  }

  /**
   * Opens the storage for each request. The return type lists only the requests that need the
   * storage, so that `api` must handle all others.
   */
  private onStorage(): Pick<HostApi, keyof Stored['api']> {
    return createApi((name) => async (params) => {
      const { api } = this.storedOn(await this.services.storage.open());
      return (api[name as keyof typeof api] as Handler)(params);
    });
  }

  private current(): Stored | undefined {
    const opened = this.services.storage.current;
    return opened && this.storedOn(opened);
  }

  private storedOn(opened: T): Stored {
    const known = this.known.get(opened);
    if (known !== undefined) return known;
    const sessions = this.services.sessionsOn(opened);
    const { attachments, catalog, clock, logger, review, lastTerminal } = this.services;
    const { registry } = sessions;
    const mentions = new MentionReader(attachments, { registry, clock, lastTerminal, openFile: aboutOpenFile });
    const parts = { attachments, mentions, catalog, clock, logger, review };
    const feed = new SessionFeed(sessions, this.activeSession, parts);
    const stored = { feed, api: storedHandlers(sessions, feed, this.activeSession, parts) };
    this.known.set(opened, stored);
    return stored;
  }
}

/** Logs errors and sends them to the view with a code and a user message. */
function reporting(api: HostApi, logger: Logger, onAnswered: (name: HostRequestName) => void): HostApi {
  const answer = async (name: HostRequestName, params: never): Promise<unknown> => {
    try {
      const result = await (api[name] as Handler)(params);
      onAnswered(name);
      return result;
    } catch (error) {
      logger.error(`${name} failed`, error);
      if (error instanceof AppError) throw new RequestFailure(error.code, error.userMessage, { cause: error });
      const text = vscode.l10n.t('Something went wrong in Ollama Copilot. Try again. For details, see the log.');
      throw new RequestFailure('internal', text, { cause: error });
    }
  };
  return createApi((name) => (params) => answer(name, params));
}

type Handler = (params: never) => Promise<unknown>;

/** Creates a handler for every request. The schemas in `rpc.ts` validate parameters and results. */
function createApi(handlerOf: (name: HostRequestName) => Handler): HostApi {
  const names = Object.keys(hostRequests) as HostRequestName[];
  return Object.fromEntries(names.map((name) => [name, handlerOf(name)])) as HostApi;
}
