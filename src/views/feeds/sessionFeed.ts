import type { HostResult } from '../../protocol/hostApi';
import type { ViewPort } from '../../protocol/rpc';
import type { RunState } from '../../protocol/webviewEvents';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import type { Clock } from '../../utils/clock';
import { DisposableStore, type Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { ActiveSession } from '../activeSession';
import { mcpState } from '../handlers/mcp/mcpHandlers';
import { toQueuedMessage } from '../handlers/sessionHandlers';
import type { SessionServices } from '../sessionServices';
import { ContextFeed, type ContextSources, type DraftAttachments } from './contextFeed';
import { ElsewhereFollower } from './elsewhereFollower';
import { FilesFeed } from './filesFeed';

export class SessionFeed {
  private readonly follower: ElsewhereFollower;
  private view: ViewPort | undefined;
  private context: ContextFeed | undefined;
  private files: FilesFeed | undefined;

  constructor(
    private readonly services: SessionServices,
    private readonly activeSession: Pick<ActiveSession, 'sessionId' | 'mode'>,
    private readonly around: {
      catalog: ModelCatalog;
      attachments: ContextSources['attachments'];
      mentions: ContextSources['mentions'];
      clock: Clock;
      logger: Logger;
    },
  ) {
    const { database, controller } = services;
    this.follower = new ElsewhereFollower(
      { read: (id, since) => database.log.read(id, since), runState: (id) => controller.runState(id) },
      around.clock,
      around.logger,
    );
  }

  /** Sends events to a view until disposed. */
  attach(view: ViewPort): Disposable {
    this.view = view;
    const { activeSession } = this;
    const { database, controller, meter, preparer, background, commandOutputs, grants, mcp } = this.services;
    const { attachments, mentions, catalog, logger } = this.around;
    const subscriptions = new DisposableStore();
    const shows = () => ({ sessionId: activeSession.sessionId, mode: activeSession.mode });
    const isShown = ({ sessionId }: { sessionId: string }) => sessionId === activeSession.sessionId;
    const context = subscriptions.add(
      new ContextFeed({ meter, preparer, attachments, mentions, catalog, log: database.log, logger, active: shows }, view),
    );
    this.context = context;
    const files = subscriptions.add(new FilesFeed(this.services, () => activeSession.sessionId, view, logger));
    this.files = files;
    files.refresh();
    subscriptions.add(preparer.onDidPrepare(() => context.refresh()));
    subscriptions.add(meter.onDidMeasure((measured) => isShown(measured) && context.refresh()));
    subscriptions.add(catalog.onDidChange(() => context.refresh()));
    subscriptions.add({
      dispose: () => {
        if (this.view === view) this.view = undefined;
        if (this.context === context) this.context = undefined;
        if (this.files === files) this.files = undefined;
        this.leave();
      },
    });
    subscriptions.add(database.log.onDidChange((event) => isShown(event) && view.emit('log', event)));
    subscriptions.add(
      controller.onDidChangeRunState((run) => {
        if (isShown(run)) view.emit('runState', run);
        if (isShown(run) && fillsContext(run)) context.refresh();
        view.emit('sessionsChanged', { sessionId: run.sessionId });
      }),
    );
    subscriptions.add(
      database.queued.onDidChange((queue) => {
        if (isShown(queue)) view.emit('queue', { sessionId: queue.sessionId, messages: queue.messages.map(toQueuedMessage) });
      }),
    );
    subscriptions.add(background.onDidChange((change) => isShown(change) && view.emit('background', change)));
    subscriptions.add(
      commandOutputs.onDidChange(({ sessionId }) => {
        if (sessionId === activeSession.sessionId)
          view.emit('commandOutput', { sessionId, outputs: commandOutputs.listTails(sessionId) });
      }),
    );
    subscriptions.add(grants.onDidChange((change) => isShown(change) && view.emit('grants', change)));
    subscriptions.add(
      mcp.onDidChange(() => {
        view.emit('mcp', mcpState(mcp));
        context.refresh();
      }),
    );
    subscriptions.add(database.sessions.onDidChange((change) => view.emit('sessionsChanged', change)));
    return subscriptions;
  }

  /** Updates the view after the active session or its mode changed. */
  refresh(): void {
    this.context?.refresh();
    this.files?.refresh();
  }

  /** Prepares the next request for a draft in the active session. */
  prepare(draft: DraftAttachments): void {
    if (draft.sessionId === this.activeSession.sessionId) this.context?.prepare(draft);
  }

  refreshFiles(): void {
    this.files?.refresh();
  }

  /** Delays the context feed until a session has opened. Follows the session if another window runs it. */
  async opens(sessionId: string, opening: Promise<HostResult<'openSession'>>): Promise<HostResult<'openSession'>> {
    this.context?.giveWayTo(opening);
    const snapshot = await opening;
    if (this.view !== undefined && snapshot.run.state === 'elsewhere')
      this.follower.follow(sessionId, snapshot.revision, this.view);
    else this.follower.dispose();
    return snapshot;
  }

  leave(): void {
    this.follower.dispose();
  }
}

/** Returns true at the start and end of a run, and when the run sends a request. */
function fillsContext({ activity }: RunState): boolean {
  return activity === null || activity.kind === 'reading';
}
