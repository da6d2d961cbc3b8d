import type * as vscode from 'vscode';
import { AttachmentReader } from '../agent/prompt/attachmentReader';
import { WorkspacePaths } from '../services/files/workspacePaths';
import type { OpenedStorage } from './openedStorage';
import type { AttachmentRef } from '../protocol/entries';
import type { Channel } from '../protocol/rpc';
import type { StorageCare } from '../services/checkpoint/host/storageCare';
import { createOwner } from '../services/database/sessions/windowOwner';
import { pendingFiles } from '../services/database/sessions/pendingFiles';
import { createStoredServices, type StorageSurroundings, type StoredServices } from './storedServices';
import { sessionPatterns } from '../agent/approvals/fileAccess';
import type { KeptRequests } from '../services/model/client/keptRequests';
import type { IsSecret } from '../services/export/selection';
import type { SessionExporter } from '../services/export/sessionExporter';
import type { SessionRecord } from '../types/session';
import { systemClock } from '../utils/clock';
import { Emitter } from '../utils/emitter';
import type { ImportReport } from '../services/import/importReport';
import { FileSensitivity } from '../utils/sensitivity/fileSensitivity';
import { ChatConnection, type ChatServices } from '../views/chatConnection';
import type { ViewConnection } from '../views/chatView';
import { currentSession } from '../views/activeSession';
import { attachmentEditor } from '../vscode/attachmentEditor';
import { CodeProposals } from '../vscode/codeProposals';
import { ChangeReview } from '../vscode/review/changeReview';
import type { ReviewedSessions } from '../vscode/commands/changeCommands';
import type { SessionCheckpoints } from '../vscode/commands/checkpointCommands';
import { codeToAskAbout, filesToAttach, selectionToAttach } from '../vscode/commands/contextCommands';
import { exportAllSessions, exportSession, sessionToExport } from '../vscode/commands/exportSessions';
import { showRequest } from '../vscode/commands/showRequest';
import { importSessions } from '../vscode/commands/importSessions';
import { tellWhoWroteThisLine } from '../vscode/commands/lineOrigin';
import { InlineChat } from '../vscode/inlineChat/inlineChat';
import { EditorWorkspace } from '../vscode/workspace/editorWorkspace';
import { LastTerminalOutput } from '../vscode/terminal/lastTerminalOutput';
import { EditorReview } from '../vscode/review/editorReview';
import { SnapshotDocuments } from '../vscode/review/snapshotDocuments';
import { tellRestores, tellUndos } from '../vscode/review/undoMessages';

export interface ChatSurroundings
  extends
    Omit<StorageSurroundings, 'owner' | 'workspace' | 'questions'>,
    Omit<ChatServices<OpenedStorage>, 'attachments' | 'lastTerminal' | 'review' | 'proposals' | 'sessionsOn' | 'logger'> {
  memento: vscode.Memento;
  extensionUri: vscode.Uri;
  requests: KeptRequests;
  /** Called once for each database when a view first needs its services. */
  onStarted: (services: StoredServices) => void;
}

/** Services of the chat. They load when a view or command first uses them, so that windows start fast. */
export class Chat {
  private readonly owner = createOwner();
  private readonly workspace = new EditorWorkspace();
  private readonly attachments: AttachmentReader;
  private readonly terminals = new LastTerminalOutput();
  readonly documents = new SnapshotDocuments(() => this.current()?.snapshots);
  private readonly review = new ChangeReview(this.documents);
  readonly proposals = new CodeProposals(this.review);
  private readonly started = new WeakMap<OpenedStorage, StoredServices>();
  private readonly connection: ChatConnection<OpenedStorage>;
  private readonly inlineSession: Emitter<void>;
  private inline: { opened: OpenedStorage; chat: InlineChat } | undefined;

  constructor(private readonly around: ChatSurroundings) {
    this.inlineSession = new Emitter((error) => around.logger.error('A listener of the inline chat failed', error));
    const sensitivity = () => new FileSensitivity(around.settings.getAgentConfig().sensitiveFilePatterns);
    this.attachments = new AttachmentReader(new WorkspacePaths(this.workspace), attachmentEditor, sensitivity, {
      keep: async (bytes) => (await this.stored()).database.images.keep(bytes),
    });
    const { attachments } = this;
    const sessionsOn = (opened: OpenedStorage) => this.servicesOn(opened);
    const lastTerminal = () => this.terminals.last();
    const parts = { attachments, lastTerminal, review: this.review, proposals: this.proposals, sessionsOn };
    this.connection = new ChatConnection({ ...around, ...parts }, around.memento);
  }

  connect(channel: Channel, onReady: () => void): ViewConnection {
    return this.connection.connect(channel, onReady);
  }

  filesToAttach(args: readonly unknown[]): Promise<AttachmentRef[]> {
    return filesToAttach(this.attachments, args);
  }

  selectionToAttach(): Promise<AttachmentRef[]> {
    return selectionToAttach(this.attachments);
  }

  codeToAskAbout(): Promise<AttachmentRef[]> {
    return codeToAskAbout(this.attachments);
  }

  /**
   * Returns the inline chat. Rejects with the storage error if the
   * storage cannot be opened. `openChat` shows a session in the view.
   */
  async inlineChat(openChat: (sessionId: string) => Promise<void>): Promise<InlineChat> {
    const opened = await this.around.storage.open();
    const services = this.servicesOn(opened);
    if (this.inline?.opened !== opened) {
      const { logger } = this.around;
      const parts = {
        ...services,
        review: services.inlineReview,
        log: services.database.log,
        attachments: this.attachments,
        openChat,
        logger,
      };
      const chat = opened.add(new InlineChat(parts));
      this.inline = { opened, chat };
      opened.add(chat.onDidChangeSession(() => this.inlineSession.fire()));
    }
    return this.inline.chat;
  }

  /** Imports sessions. Rejects with the storage error if the storage cannot be opened. */
  async importSessions(args: readonly unknown[]): Promise<ImportReport | undefined> {
    const { importer } = this.servicesOn(await this.around.storage.open());
    return importSessions({ importer, documents: this.documents }, args);
  }

  /** See `exportSession`. Exports the active session by default. */
  async exportSession(args: readonly unknown[]): Promise<string | undefined> {
    const services = await this.stored();
    const sessionId = sessionToExport(args) ?? this.connection.shownSession;
    return exportSession({ ...services.database, exporter: await this.exporter(services), sessionId }, args);
  }

  /** See `exportAllSessions`. */
  async exportAllSessions(args: readonly unknown[]): Promise<string | undefined> {
    return exportAllSessions(await this.exporter(await this.stored()), args);
  }

  reviewedSessions(): ReviewedSessions | undefined {
    const shown = [this.inline?.chat.sessionId ?? null, currentSession(this.around.memento)];
    const sessionIds = [...new Set(shown.filter((sessionId) => sessionId !== null))];
    const current = this.current();
    if (sessionIds.length === 0 || current === undefined) return undefined;
    return { sessionIds, changes: current.changes, hunks: current.shownReviews, review: this.review };
  }

  sessionCheckpoints(): SessionCheckpoints | undefined {
    const sessionId = currentSession(this.around.memento);
    const current = this.current();
    return sessionId === null || current === undefined ? undefined : { sessionId, ...current, review: this.review };
  }

  async tellWhoWroteThisLine(): Promise<void> {
    await tellWhoWroteThisLine((await this.stored()).engine, this.workspace.folders());
  }

  get shownSession(): string | null {
    return this.connection.shownSession;
  }

  async recoverRestores(): Promise<void> {
    await this.current()?.restores.recover();
  }

  /** Finishes interrupted undos. Does nothing if the workspace is not trusted. */
  async recoverUndos(): Promise<void> {
    await this.current()?.finishUndos();
  }

  care(opened: OpenedStorage): StorageCare {
    return this.servicesOn(opened).care;
  }

  /** Resolves with the services of the storage. Rejects with the storage error if the storage cannot be opened. */
  async stored(): Promise<StoredServices> {
    return this.servicesOn(await this.around.storage.open());
  }

  async exporter({ database }: StoredServices): Promise<SessionExporter> {
    const { SessionExporter: Exporter } = await import(/* webpackChunkName: "export" */ '../services/export/sessionExporter');
    return new Exporter(
      database,
      (session) => this.secretsOf(session),
      () => systemClock.now(),
    );
  }

  /** See `showRequest`. */
  async showRequest(args: readonly unknown[]): Promise<void> {
    const { requests, token } = this.around;
    const { sessions } = (await this.stored()).database;
    const secretsOf = (session: SessionRecord | undefined) => this.secretsOf(session);
    await showRequest({ requests, documents: this.documents, sessions, secretsOf, hasToken: () => token.isSet() }, args);
  }

  private secretsOf(session: SessionRecord | undefined): IsSecret {
    const patterns = this.around.settings.getAgentConfig().sensitiveFilePatterns;
    const sensitivity = new FileSensitivity(patterns, sessionPatterns(session?.sensitive_file_patterns ?? null));
    return (file: string) => sensitivity.isSecret(file);
  }

  /** Shows the reviews of the active session and of the inline chat in the editor until the storage is closed. */
  private showReview(opened: OpenedStorage, services: StoredServices): EditorReview {
    const { logger, extensionUri } = this.around;
    const { review, inlineReview, shownReviews: service, reviewEditor: editor, database } = services;
    const inlineId = () => this.inline?.chat.sessionId ?? null;
    const isShown = (sessionId: string) => sessionId === this.connection.shownSession || sessionId === inlineId();
    const drawn = new EditorReview({
      service,
      editor,
      extensionUri,
      logger,
      originOf: async (hunk) => {
        const sessionId = service.findSession(hunk);
        return sessionId === undefined ? null : database.queries.messageAt(sessionId, hunk.turn);
      },
      others: {
        waitingElsewhere: async () => (await pendingFiles(opened.connection)).filter(({ sessionId }) => !isShown(sessionId)),
        compared: (sessionId, paths) => services.changes.compared(sessionId, paths),
      },
    });
    const follow = () =>
      void Promise.all([review.startReview(this.connection.shownSession), inlineReview.startReview(inlineId())]).then(
        () => drawn.lookElsewhere(),
        (error: unknown) => logger.error('The changes that wait could not be shown in the editor', error),
      );
    drawn.add(this.connection.onDidShowSession(follow));
    drawn.add(this.inlineSession.event(follow));
    drawn.add(services.changes.onDidChange(({ sessionId }) => !isShown(sessionId) && void drawn.lookElsewhere()));
    follow();
    return drawn;
  }

  private current(): StoredServices | undefined {
    const opened = this.around.storage.current;
    return opened && this.servicesOn(opened);
  }

  private servicesOn(opened: OpenedStorage): StoredServices {
    const known = this.started.get(opened);
    if (known !== undefined) return known;
    const { around, owner, workspace, review } = this;
    const services = createStoredServices(opened, { ...around, owner, workspace, questions: review });
    this.started.set(opened, services);
    services.changes.onDidFinish(tellUndos);
    services.restores.onDidFinish(tellRestores);
    opened.add(this.showReview(opened, services));
    this.around.onStarted(services);
    return services;
  }
}
