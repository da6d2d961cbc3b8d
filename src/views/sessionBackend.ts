import type { AttachmentReader } from '../agent/prompt/attachmentReader';
import type { PendingChanges } from '../services/changes/pendingChanges';
import type { WorkSessions } from '../services/changes/workSessions';
import type { ContextMeter } from '../agent/context/contextMeter';
import type { SessionController } from '../agent/loop/sessionController';
import type { SessionGrants } from '../agent/approvals/sessionGrants';
import type { HostApi } from '../protocol/hostApi';
import type { ViewPort } from '../protocol/rpc';
import type { RunState } from '../protocol/webviewEvents';
import type { StorageCare } from '../services/checkpoint/host/storageCare';
import type { BackgroundCommands } from '../services/terminal/run/backgroundCommands';
import type { DatabaseService } from '../services/database/databaseService';
import type { Restores } from '../services/checkpoint/host/restores';
import type { ModelCatalog } from '../services/model/catalogue/modelCatalog';
import type { ChatMode } from '../types/modes';
import type { Clock } from '../utils/clock';
import { DisposableStore, type Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';
import type { ChangeReview } from '../vscode/review/changeReview';
import { changeHandlers, type ChangeApi } from './handlers/changeHandlers';
import { backgroundHandlers } from './handlers/backgroundHandlers';
import { checkpointStorageHandlers, type CheckpointStorageApi } from './handlers/checkpointStorageHandlers';
import { ContextFeed } from './feeds/contextFeed';
import { FilesFeed } from './feeds/filesFeed';
import { ElsewhereFollower } from './feeds/elsewhereFollower';
import { grantHandlers, type GrantApi } from './handlers/grantHandlers';
import { restoreHandlers, type RestoreApi } from './handlers/restoreHandlers';
import { queuedOf, sessionHandlers, type SessionApi } from './handlers/sessionHandlers';
import { sessionListHandlers } from './handlers/sessionListHandlers';

export interface SessionServices {
  database: DatabaseService;
  controller: SessionController;
  meter: ContextMeter;
  changes: PendingChanges;
  restores: Restores;
  workSessions: WorkSessions;
  background: BackgroundCommands;
  grants: SessionGrants;
  care: StorageCare;
}

/** What the view has in front, across everything that opens and closes. */
export interface Front {
  shown(): string | null;
  mode(): ChatMode;
  show(sessionId: string | null): void;
  selectMode(mode: string): Promise<void>;
}

/** The view's requests and events about sessions: there while the database is open. */
export class SessionBackend {
  readonly api: SessionApi &
    ChangeApi &
    RestoreApi &
    GrantApi &
    CheckpointStorageApi &
    ReturnType<typeof sessionListHandlers> &
    ReturnType<typeof backgroundHandlers>;
  private readonly follower: ElsewhereFollower;
  private view: ViewPort | undefined;
  private feed: ContextFeed | undefined;
  private files: FilesFeed | undefined;

  constructor(
    private readonly services: SessionServices,
    private readonly front: Front,
    private readonly around: {
      catalog: ModelCatalog;
      attachments: AttachmentReader;
      clock: Clock;
      logger: Logger;
      review: ChangeReview;
    },
  ) {
    const { database, controller } = services;
    const { clock, logger } = around;
    const sessions = sessionHandlers(database, controller, around.attachments, clock, (sessionId) => front.show(sessionId));
    this.follower = new ElsewhereFollower(
      { read: (id, since) => database.log.read(id, since), runState: (id) => controller.runState(id) },
      clock,
      logger,
    );
    const lists = sessionListHandlers(database, controller, (sessionId) => {
      void services.background.endSession(sessionId);
      if (sessionId !== front.shown()) return;
      this.leave();
      front.show(null);
    });
    this.api = {
      ...sessions,
      ...lists,
      ...changeHandlers(services.changes, around.review),
      ...restoreHandlers(services.restores, services.workSessions, around.review, () => this.files?.refresh()),
      ...backgroundHandlers(services.background),
      ...grantHandlers(services.grants),
      ...checkpointStorageHandlers(services.care, (file) => services.restores.shown(file)),
      openSession: (params) => this.open(params, sessions),
    };
  }

  /** Tells the view of what happens to sessions, until disposed. */
  attach(view: ViewPort): Disposable {
    this.view = view;
    const { database, controller, meter } = this.services;
    const { catalog, logger } = this.around;
    const subscriptions = new DisposableStore();
    const shows = () => ({ sessionId: this.front.shown(), mode: this.front.mode() });
    const context = subscriptions.add(new ContextFeed({ meter, catalog, log: database.log, logger, front: shows }, view));
    this.feed = context;
    const files = subscriptions.add(new FilesFeed(this.services, () => this.front.shown(), view, logger));
    this.files = files;
    files.refresh();
    subscriptions.add(meter.onDidMeasure(({ sessionId }) => sessionId === this.front.shown() && context.refresh()));
    subscriptions.add(catalog.onDidChange(() => context.refresh()));
    subscriptions.add({
      dispose: () => {
        if (this.view === view) this.view = undefined;
        if (this.feed === context) this.feed = undefined;
        if (this.files === files) this.files = undefined;
        this.leave();
      },
    });
    subscriptions.add(
      database.log.onDidChange((event) => {
        if (event.sessionId === this.front.shown()) view.emit('log', event);
      }),
    );
    subscriptions.add(
      controller.onDidChangeRunState((run) => {
        if (run.sessionId === this.front.shown()) view.emit('runState', run);
        if (run.sessionId === this.front.shown() && fillsContext(run)) context.refresh();
        view.emit('sessionsChanged', { sessionId: run.sessionId });
      }),
    );
    subscriptions.add(
      database.queued.onDidChange(({ sessionId, messages }) => {
        if (sessionId === this.front.shown()) view.emit('queue', { sessionId, messages: messages.map(queuedOf) });
      }),
    );
    subscriptions.add(
      this.services.background.onDidChange((change) => {
        if (change.sessionId === this.front.shown()) view.emit('background', change);
      }),
    );
    subscriptions.add(
      this.services.grants.onDidChange((change) => {
        if (change.sessionId === this.front.shown()) view.emit('grants', change);
      }),
    );
    subscriptions.add(database.sessions.onDidChange((change) => view.emit('sessionsChanged', change)));
    return subscriptions;
  }

  /** What is in front, or how it is worked on, has changed. */
  refreshContext(): void {
    this.feed?.refresh();
    this.files?.refresh();
  }

  /** The session in front is not of interest any more. */
  leave(): void {
    this.follower.dispose();
  }

  private async open(params: Parameters<HostApi['openSession']>[0], sessions: SessionApi): ReturnType<HostApi['openSession']> {
    const opening = sessions.openSession(params);
    this.feed?.giveWayTo(opening);
    const snapshot = await opening;
    if (this.view !== undefined && snapshot.run.state === 'elsewhere')
      this.follower.follow(params.sessionId, snapshot.revision, this.view);
    else this.follower.dispose();
    await this.front.selectMode(snapshot.session.mode);
    return snapshot;
  }
}

/** When a run begins and ends, and when it asks the model. */
function fillsContext({ activity }: RunState): boolean {
  return activity === null || activity.kind === 'reading';
}
