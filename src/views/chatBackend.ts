import * as vscode from 'vscode';
import type { AttachmentReader } from '../agent/attachmentReader';
import type { ContextMeter } from '../agent/contextMeter';
import type { SessionController } from '../agent/sessionController';
import type { HostApi } from '../protocol/hostApi';
import type { ViewPort } from '../protocol/rpc';
import type { RunState } from '../protocol/webviewEvents';
import type { ConnectionMonitor } from '../services/connectionMonitor';
import type { DatabaseService } from '../services/database/databaseService';
import type { ModelCatalog } from '../services/modelCatalog';
import { chatModes, type ChatMode } from '../types/session';
import type { Clock } from '../utils/clock';
import type { Logger } from '../utils/logger';
import { watchEditorItem } from '../vscode/editorItems';
import type { ChatViewBackend } from './chatView';
import { ContextFeed } from './contextFeed';
import { contextHandlers } from './contextHandlers';
import { editorHandlers } from './editorHandlers';
import { ElsewhereFollower } from './elsewhereFollower';
import { modeKey, modelHandlers } from './modelHandlers';
import { sessionHandlers } from './sessionHandlers';
import { sessionListHandlers } from './sessionListHandlers';

const lastSessionKey = 'ollamaCopilot.lastSession';

export interface ChatServices {
  database: DatabaseService;
  controller: SessionController;
  connection: ConnectionMonitor;
  catalog: ModelCatalog;
  meter: ContextMeter;
  attachments: AttachmentReader;
  clock: Clock;
  logger: Logger;
}

/** The mode last chosen in this workspace. */
export function currentMode(memento: vscode.Memento): ChatMode {
  const stored = memento.get<string>(modeKey);
  return chatModes.find((mode) => mode === stored) ?? 'agent';
}

/** Joins the services to the view: its requests to handlers, their events to the session it shows. */
export function createChatBackend(services: ChatServices, memento: vscode.Memento): ChatViewBackend {
  const { database, controller, connection, catalog, meter, clock, logger } = services;
  let shown: string | null = memento.get<string>(lastSessionKey) ?? null;
  let feed: ContextFeed | undefined;
  const show = (sessionId: string | null) => {
    shown = sessionId;
    feed?.refresh();
    void memento.update(lastSessionKey, sessionId ?? undefined);
  };

  const sessions = sessionHandlers(database, controller, services.attachments, clock, show);
  const follower = new ElsewhereFollower(
    { read: (id, since) => database.log.read(id, since), runState: (id) => controller.runState(id) },
    clock,
    logger,
  );
  let front: ViewPort | undefined;

  const api: HostApi = {
    ...sessions,
    openSession: async (params) => {
      const snapshot = await sessions.openSession(params);
      if (front && snapshot.run.state === 'elsewhere') follower.follow(params.sessionId, snapshot.revision, front);
      else follower.dispose();
      const { mode } = snapshot.session;
      if (mode !== currentMode(memento)) {
        await memento.update(modeKey, mode);
        await catalog.announce();
      }
      return snapshot;
    },
    ...sessionListHandlers(database, controller, (sessionId) => {
      if (sessionId !== shown) return;
      follower.dispose();
      show(null);
    }),
    ...modelHandlers(connection, catalog, memento),
    ...editorHandlers(logger),
    ...contextHandlers(services.attachments),
    ready: async () => {
      const isThere = shown !== null && (await database.sessions.get(shown)) !== undefined;
      if (!isThere) show(null);
      feed?.refresh();
      return {
        sessionId: shown,
        mode: currentMode(memento),
        trusted: vscode.workspace.isTrusted,
        hasFolder: (vscode.workspace.workspaceFolders?.length ?? 0) > 0,
        workspaceName: vscode.workspace.name ?? null,
        models: await catalog.state(),
        connection: connection.state,
        l10n: bundle(),
      };
    },
    newChat: async () => {
      follower.dispose();
      show(null);
      return Promise.resolve({});
    },
  };

  const attach = (view: ViewPort): vscode.Disposable => {
    front = view;
    const shows = () => ({ sessionId: shown, mode: currentMode(memento) });
    const context = new ContextFeed({ meter, catalog, log: database.log, logger, front: shows }, view);
    feed = context;
    const subscriptions = [
      context,
      meter.onDidMeasure(({ sessionId }) => sessionId === shown && context.refresh()),
      database.log.onDidChange((event) => {
        if (event.sessionId === shown) view.emit('log', event);
      }),
      controller.onDidChangeRunState((run) => {
        if (run.sessionId === shown) view.emit('runState', run);
        if (run.sessionId === shown && fillsContext(run)) context.refresh();
        view.emit('sessionsChanged', { sessionId: run.sessionId });
      }),
      database.sessions.onDidChange((change) => view.emit('sessionsChanged', change)),
      connection.onDidChange((state) => view.emit('connection', state)),
      catalog.onDidChange((state) => {
        view.emit('models', state);
        context.refresh();
      }),
      connection.watch(),
      watchEditorItem((item) => view.emit('suggestion', { item })),
    ];
    void connection.check().catch((error: unknown) => logger.error('Could not check the connection', error));
    return new vscode.Disposable(() => {
      if (front === view) front = undefined;
      if (feed === context) feed = undefined;
      follower.dispose();
      for (const subscription of subscriptions) void subscription.dispose();
    });
  };

  return { api, attach };
}

/** When a run begins and ends, and when it asks the model. */
function fillsContext({ activity }: RunState): boolean {
  return activity === null || activity.kind === 'reading';
}

function bundle(): Record<string, string> {
  const texts = vscode.l10n.bundle ?? {};
  return Object.fromEntries(Object.entries(texts).filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}
