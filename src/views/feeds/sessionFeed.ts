import type { HostResult } from '../../protocol/hostApi';
import type { ViewPort } from '../../protocol/rpc';
import type { RunState } from '../../protocol/webviewEvents';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import type { Clock } from '../../utils/clock';
import { DisposableStore, type Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { Front } from '../front';
import { mcpState } from '../handlers/mcpHandlers';
import { queuedOf } from '../handlers/sessionHandlers';
import type { SessionServices } from '../sessionServices';
import { ContextFeed } from './contextFeed';
import { ElsewhereFollower } from './elsewhereFollower';
import { FilesFeed } from './filesFeed';

/** Tells the view of what happens to sessions, as long as the storage that they are in is open. */
export class SessionFeed {
  private readonly follower: ElsewhereFollower;
  private view: ViewPort | undefined;
  private context: ContextFeed | undefined;
  private files: FilesFeed | undefined;

  constructor(
    private readonly services: SessionServices,
    private readonly front: Pick<Front, 'sessionId' | 'mode'>,
    private readonly around: { catalog: ModelCatalog; clock: Clock; logger: Logger },
  ) {
    const { database, controller } = services;
    this.follower = new ElsewhereFollower(
      { read: (id, since) => database.log.read(id, since), runState: (id) => controller.runState(id) },
      around.clock,
      around.logger,
    );
  }

  /** Tells this view, until disposed. */
  attach(view: ViewPort): Disposable {
    this.view = view;
    const { front } = this;
    const { database, controller, meter, background, grants, mcp } = this.services;
    const { catalog, logger } = this.around;
    const subscriptions = new DisposableStore();
    const shows = () => ({ sessionId: front.sessionId, mode: front.mode });
    const isShown = ({ sessionId }: { sessionId: string }) => sessionId === front.sessionId;
    const context = subscriptions.add(new ContextFeed({ meter, catalog, log: database.log, logger, front: shows }, view));
    this.context = context;
    const files = subscriptions.add(new FilesFeed(this.services, () => front.sessionId, view, logger));
    this.files = files;
    files.refresh();
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
        if (isShown(queue)) view.emit('queue', { sessionId: queue.sessionId, messages: queue.messages.map(queuedOf) });
      }),
    );
    subscriptions.add(background.onDidChange((change) => isShown(change) && view.emit('background', change)));
    subscriptions.add(grants.onDidChange((change) => isShown(change) && view.emit('grants', change)));
    subscriptions.add(mcp.onDidChange(() => view.emit('mcp', mcpState(mcp))));
    subscriptions.add(database.sessions.onDidChange((change) => view.emit('sessionsChanged', change)));
    return subscriptions;
  }

  /** Takes notice that another session is in front, or is worked on in another way. */
  refresh(): void {
    this.context?.refresh();
    this.files?.refresh();
  }

  refreshFiles(): void {
    this.files?.refresh();
  }

  /** A session is being opened: what is told of it waits for that, and where another window runs it, that is followed. */
  async opens(sessionId: string, opening: Promise<HostResult<'openSession'>>): Promise<HostResult<'openSession'>> {
    this.context?.giveWayTo(opening);
    const snapshot = await opening;
    if (this.view !== undefined && snapshot.run.state === 'elsewhere')
      this.follower.follow(sessionId, snapshot.revision, this.view);
    else this.follower.dispose();
    return snapshot;
  }

  /** The session in front is not of interest any more. */
  leave(): void {
    this.follower.dispose();
  }
}

/** When a run begins and ends, and when it asks the model. */
function fillsContext({ activity }: RunState): boolean {
  return activity === null || activity.kind === 'reading';
}
