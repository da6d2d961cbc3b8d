import * as vscode from 'vscode';
import type { AttachmentReader } from '../agent/prompt/attachmentReader';
import type { MentionSources } from '../agent/prompt/mentionReader';
import type { Settings } from '../config/settings';
import type { AttachmentRef } from '../protocol/entries';
import type { ItemInEditor } from '../protocol/webviewEvents';
import { hostRequests, type HostApi, type HostRequestName } from '../protocol/hostApi';
import { connectHost, RequestFailure, type Channel, type ViewPort } from '../protocol/rpc';
import type { OpenedThing, StorageGate } from '../services/database/storageGate';
import type { ModelActions } from '../services/model/catalogue/modelActions';
import type { ModelCatalog } from '../services/model/catalogue/modelCatalog';
import type { ConnectionMonitor } from '../services/model/connection/connectionMonitor';
import type { Clock } from '../utils/clock';
import type { Disposable } from '../utils/disposable';
import { Emitter } from '../utils/emitter';
import { AppError } from '../utils/errors';
import type { Logger } from '../utils/logger';
import { itemsInEditor, watchEditorItems } from '../vscode/editorItems';
import type { CodeProposals } from '../vscode/codeProposals';
import type { ChangeReview } from '../vscode/review/changeReview';
import type { ServerAnswers } from '../vscode/serverAnswers';
import type { ViewConnection } from './chatView';
import { SessionFeed } from './feeds/sessionFeed';
import { Front } from './front';
import { completionHandlers, type CompletionAccess } from './handlers/completionHandlers';
import { editorHandlers } from './handlers/editorHandlers';
import { modelHandlers } from './handlers/modelHandlers';
import { readyHandlers, workspaceState } from './handlers/readyHandlers';
import { settingsHandlers, settingsState, type ServerToken, type SettingsServices } from './handlers/settingsHandlers';
import { storageHandlers } from './handlers/storageHandlers';
import { storedHandlers } from './handlers/storedHandlers';
import type { SessionServices } from './sessionServices';

export interface ChatServices<T extends OpenedThing> {
  storage: StorageGate<T>;
  /** Holds what works on the open storage: always the same for the same. */
  sessionsOn: (opened: T) => SessionServices;
  connection: ConnectionMonitor;
  catalog: ModelCatalog;
  attachments: AttachmentReader;
  /** Returns the last command that ran in a terminal of the window. */
  lastTerminal: MentionSources['lastTerminal'];
  review: ChangeReview;
  proposals: Pick<CodeProposals, 'show'>;
  actions: ModelActions;
  clock: Clock;
  logger: Logger;
  settings: Settings;
  /** Answers about servers that the workspace sets. */
  servers: ServerAnswers;
  completions: () => Promise<CompletionAccess>;
  /** The storage root as configured now. */
  folder: () => string;
  token: ServerToken;
  isOffered: SettingsServices['isOffered'];
  /** Also of the bearer token. */
  onDidChangeSettings: (listener: () => void) => Disposable;
}

/** Holds what answers the view about the sessions of one open storage, and tells it of them. */
interface Stored {
  api: ReturnType<typeof storedHandlers>;
  feed: SessionFeed;
}

/** Joins the services to the view: its requests to handlers, their events to the session it shows. What needs the storage asks for it. */
export class ChatConnection<T extends OpenedThing> {
  private readonly api: HostApi;
  private readonly front: Front;
  private readonly known = new WeakMap<object, Stored>();
  /** Items that were told last; an earlier look that ends later is of no use. */
  private inEditor: readonly AttachmentRef[] = [];
  private readonly sessionShown: Emitter<string | null>;

  constructor(
    private readonly services: ChatServices<T>,
    memento: vscode.Memento,
  ) {
    const { storage, logger, attachments, catalog, sessionsOn } = services;
    this.sessionShown = new Emitter((error) => logger.error('A listener of the session in front failed', error));
    this.front = new Front(
      memento,
      () => {
        this.current()?.feed.refresh();
        this.sessionShown.fire(this.front.sessionId);
      },
      () => catalog.announce(),
    );
    this.api = {
      ...this.onStorage(),
      ...modelHandlers(services, memento),
      ...completionHandlers(services, memento),
      ...editorHandlers(logger, attachments, services.proposals),
      ...settingsHandlers(services),
      ...storageHandlers(storage, services.folder),
      ...readyHandlers(services, this.front, {
        sessionsOf: (opened: T) => sessionsOn(opened).database.sessions,
        refresh: (opened: T) => this.storedOn(opened).feed.refresh(),
        leave: () => this.current()?.feed.leave(),
        inEditor: () => this.lookAt(itemsInEditor()),
      }),
    };
  }

  /** The session in front, also while no view is there. */
  get shownSession(): string | null {
    return this.front.sessionId;
  }

  /** Fires when another session is in front. */
  get onDidShowSession() {
    return this.sessionShown.event;
  }

  /** Joins a view that has come up to what answers it. `onReady` is called when the view has what it needs to show itself. */
  connect(channel: Channel, onReady: () => void): ViewConnection {
    const { logger } = this.services;
    const api = reporting(this.api, logger, (name) => {
      // After the answer itself has gone out.
      if (name === 'ready') setImmediate(onReady);
    });
    const port = connectHost(channel, api, (problem) => logger.warn(problem));
    const attached = this.attach(port);
    return { port, dispose: () => void attached.dispose() };
  }

  /** Forwards events to the view until disposed. */
  private attach(view: ViewPort): Disposable {
    const { storage, connection, catalog, actions, logger } = this.services;
    let sessions: Disposable | undefined;
    const follow = () => {
      // What was lost tells its end yet; only what comes after it takes its place.
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
      this.services.onDidChangeSettings(() => {
        settingsState(this.services)
          .then((state) => view.emit('settings', state))
          .catch((error: unknown) => logger.error('Could not read the settings', error));
        // Another setting may send what was only offered, or the reverse.
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

  /** Tells the view what is in the editor, and what of it goes with a message by itself. */
  private async tellInEditor(view: ViewPort, items: readonly AttachmentRef[]): Promise<void> {
    this.inEditor = items;
    const told = await this.lookAt(items);
    if (this.inEditor === items) view.emit('inEditor', { items: told });
  }

  private lookAt(items: readonly AttachmentRef[]): Promise<ItemInEditor[]> {
    const { attachments, settings } = this.services;
    const look = async (item: AttachmentRef): Promise<ItemInEditor> => {
      if (!settings.sendsOpenFile) return { item, isSent: false };
      const reason = await attachments.heldBackAs(item);
      return { item, isSent: reason === null, ...(reason === 'secret' && { mayBeSecret: true }) };
    };
    return Promise.all(items.map(look));
  }

  /** Answers with the handlers of the storage that is open by then. The type names those that there are: any other is missing in `api`. */
  private onStorage(): Pick<HostApi, keyof Stored['api']> {
    return apiOf((name) => async (params) => {
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
    const feed = new SessionFeed(sessions, this.front, this.services);
    const stored = { feed, api: storedHandlers(sessions, feed, this.front, this.services) };
    this.known.set(opened, stored);
    return stored;
  }
}

/** A failure is logged, and reaches the view in words for a person and with its code. */
function reporting(api: HostApi, logger: Logger, onAnswered: (name: HostRequestName) => void): HostApi {
  const answer = async (name: HostRequestName, params: never): Promise<unknown> => {
    try {
      const result = await (api[name] as Handler)(params);
      onAnswered(name);
      return result;
    } catch (error) {
      logger.error(`${name} failed`, error);
      if (error instanceof AppError) throw new RequestFailure(error.code, error.userMessage, { cause: error });
      const text = vscode.l10n.t('Something went wrong inside Ollama Copilot. Try again; the log has the details.');
      throw new RequestFailure('internal', text, { cause: error });
    }
  };
  return apiOf((name) => (params) => answer(name, params));
}

type Handler = (params: never) => Promise<unknown>;

/** Makes a handler for every request. The schemas of `rpc.ts` check what goes in and comes out. */
function apiOf(handlerOf: (name: HostRequestName) => Handler): HostApi {
  const names = Object.keys(hostRequests) as HostRequestName[];
  return Object.fromEntries(names.map((name) => [name, handlerOf(name)])) as HostApi;
}
