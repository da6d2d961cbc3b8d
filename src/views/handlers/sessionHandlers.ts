import * as vscode from 'vscode';
import type { MentionPlace, MentionReader } from '../../agent/prompt/mentionReader';
import { largerLimitNotice } from '../../agent/kernel/notices';
import type { SessionController } from '../../agent/loop/sessionController';
import { attachmentRefSchema, type Attachment, type AttachmentRef } from '../../protocol/entries';
import type { HostApi } from '../../protocol/hostApi';
import type { QueuedMessage, SessionSummary } from '../../protocol/webviewEvents';
import type { DatabaseService } from '../../services/database/databaseService';
import { isAlive } from '../../services/database/sessions/heartbeat';
import type { SessionRecord } from '../../types/session';
import type { Clock } from '../../utils/clock';
import { AppError } from '../../utils/errors';
import { confirm } from '../../vscode/confirm';
import { noResult } from '../noResult';
import type { MessageSearch } from './meaningSearch';
import { searchByMeaning } from './meaningSearch';
import { deleteSession } from './sessionDeletion';

/** So many entries of a session are shown at once, or a few more to begin with a turn. */
const openedEntries = 300;

type SessionApi = Pick<HostApi, 'openSession' | 'earlierEntries' | 'listSessions' | 'searchSessions' | RunRequest>;
type RunRequest =
  | 'send'
  | 'wasSent'
  | 'resend'
  | 'stop'
  | 'startPlan'
  | 'compact'
  | 'undoCompaction'
  | 'changeModel'
  | 'retry'
  | 'continueRun'
  | 'decideApproval'
  | 'answerQuestion'
  | QueueRequest;
type SessionListApi = Pick<HostApi, 'renameSession' | 'exportSession' | 'deleteSession'>;
type QueueRequest = 'listQueued' | 'enqueue' | 'removeQueued' | 'sendQueued';

/** A session the view asked for is not there (any more). */
class SessionMissingError extends AppError {
  readonly code = 'sessionMissing';

  constructor() {
    super('No such session', vscode.l10n.t('This conversation is not there any more. Start a new chat.'));
  }
}

/** Requests of the view about sessions and their runs. */
export function sessionHandlers(
  database: DatabaseService,
  controller: SessionController,
  mentions: Pick<MentionReader, 'read'>,
  clock: Clock,
  /** Told which session the view is about to show, before its log is read. */
  onShow: (sessionId: string) => void,
  messages: MessageSearch,
): SessionApi {
  const summaryOf = async (
    record: SessionRecord,
    counts?: Awaited<ReturnType<DatabaseService['fileSnapshots']['getSessionsPendingStats']>>,
  ): Promise<SessionSummary> => ({
    id: record.id,
    title: record.title,
    mode: record.mode,
    model: record.model,
    state: await stateOf(record, controller, clock),
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    ...(record.imported !== null && { isImported: true }),
    ...(counts?.has(record.id) === true && { pending: counts.get(record.id) }),
  });
  const readAll = async (refs: readonly AttachmentRef[] = [], place: MentionPlace): Promise<Attachment[]> => {
    const read: Attachment[] = [];
    for (const ref of refs) read.push(await mentions.read(ref, place));
    return read;
  };

  /** Holds what is being put into the log or the queue. */
  const underWay = new Set<Promise<unknown>>();
  const storing = async <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  };

  return {
    openSession: async ({ sessionId, sinceRevision }) => {
      const record = await database.sessions.get(sessionId);
      if (!record) throw new SessionMissingError();
      onShow(sessionId);
      const log =
        sinceRevision === 0
          ? await database.log.readPage(sessionId, null, openedEntries)
          : { ...(await database.log.read(sessionId, sinceRevision)), hasEarlier: false };
      return { session: await summaryOf(record), ...log, run: await controller.runState(sessionId) };
    },
    earlierEntries: async ({ sessionId, beforeSeq, limit }) => {
      const { entries, hasEarlier } = await database.log.readPage(sessionId, beforeSeq, limit);
      return { entries, hasEarlier };
    },
    listSessions: async ({ offset, limit }) => {
      const { sessions: records, ...page } = await database.sessions.list({ offset, limit });
      const counts = await database.fileSnapshots.getSessionsPendingStats();
      return { ...page, sessions: await Promise.all(records.map((record) => summaryOf(record, counts))) };
    },
    searchSessions: async (request) => {
      const { byMeaning, ...asked } = request;
      const { found, ...page } =
        byMeaning === true ? await searchByMeaning(database, messages, asked) : await database.search(asked);
      const counts = await database.fileSnapshots.getSessionsPendingStats();
      const summaries = await Promise.all(found.map(async ({ sessionId }) => database.sessions.get(sessionId)));
      const sessions = await Promise.all(summaries.map(async (record) => record && summaryOf(record, counts)));
      return {
        ...page,
        found: found.flatMap(({ title, line }, index) => {
          const session = sessions[index];
          return session === undefined ? [] : [{ session, title, line }];
        }),
      };
    },
    send: ({ attachments, ...message }) =>
      storing(readAll(attachments, message).then((read) => controller.send({ ...message, attachments: read }))),
    wasSent: async (draft) => {
      // A view that was loaded anew asks about what the one before it has sent and did not hear of.
      await Promise.allSettled(underWay);
      return { sent: await database.queries.wasSent(draft, controller.projectPath) };
    },
    resend: noResult((input) => storing(controller.resend(input))),
    listQueued: async ({ sessionId }) => ({ messages: (await database.queued.list(sessionId)).map(queuedOf) }),
    enqueue: noResult(({ attachments, ...message }) =>
      storing(readAll(attachments, message).then((read) => controller.enqueue({ ...message, attachments: read }))),
    ),
    removeQueued: async ({ sessionId, id }) => ({ isGone: (await database.queued.remove(sessionId, id)) === undefined }),
    sendQueued: noResult(({ sessionId, id }) => controller.sendQueued(sessionId, id)),
    stop: noResult(({ sessionId }) => controller.stop(sessionId)),
    startPlan: noResult((request) => controller.startPlan(request)),
    compact: async ({ sessionId, model }) => ({ isCompacted: await controller.compact(sessionId, model) }),
    undoCompaction: noResult(({ sessionId, seq }) => controller.undoCompaction(sessionId, seq)),
    changeModel: noResult(({ sessionId, model }) => controller.changeModel(sessionId, model)),
    retry: noResult(({ sessionId, model, isLarger }) =>
      controller.retry(sessionId, model, isLarger === true ? largerLimitNotice() : undefined),
    ),
    continueRun: noResult(({ sessionId, model }) => controller.continueRun(sessionId, model)),
    answerQuestion: noResult(({ sessionId, questionId, answer }) => controller.answerQuestion(sessionId, questionId, answer)),
    decideApproval: noResult(({ sessionId, approvalId, approve, always }) =>
      controller.decideApproval(sessionId, approvalId, approve, always),
    ),
  };
}

/** Requests of the view that change the list of sessions. */
export function sessionListHandlers(
  { sessions }: Pick<DatabaseService, 'sessions'>,
  controller: Pick<SessionController, 'runState' | 'stop'>,
  /** Told which session is gone. */
  onDeleted: (sessionId: string) => void,
): SessionListApi {
  return {
    renameSession: noResult(({ sessionId, title }) => sessions.update(sessionId, { title })),
    exportSession: noResult(({ sessionId }) => vscode.commands.executeCommand('ollamaCopilot.exportSession', sessionId)),
    deleteSession: async ({ sessionId }) => {
      const isDeleted = await deleteSession(sessionId, {
        sessions,
        runState: (id) => controller.runState(id),
        stop: (id) => controller.stop(id),
        confirm: confirmDeletion,
      });
      if (isDeleted) onDeleted(sessionId);
      return { isDeleted };
    },
  };
}

/** Returns what the view needs of a waiting message: not the content of what is attached. */
export function queuedOf({ id, text, attachments }: QueuedMessage): QueuedMessage {
  return { id, text, attachments: attachments.map((attachment) => attachmentRefSchema.parse(attachment)) };
}

async function stateOf(record: SessionRecord, controller: SessionController, clock: Clock): Promise<SessionSummary['state']> {
  const run = await controller.runState(record.id);
  if (run.state === 'queued' || run.state === 'interrupted') return run.state;
  if (record.status === 'waiting_input' && isAlive(record, clock.now())) return 'waiting';
  if (run.state !== 'idle') return run.state;
  if (record.status === 'paused') return 'paused';
  return record.status === 'error' ? 'failed' : 'idle';
}

function confirmDeletion(title: string, isRunning: boolean): Promise<boolean> {
  const text = vscode.l10n.t('Delete “{0}”?', title || vscode.l10n.t('Untitled'));
  const detail = isRunning
    ? vscode.l10n.t('It is running and will be stopped. The conversation cannot be brought back; files stay as they are.')
    : vscode.l10n.t('The conversation cannot be brought back; files stay as they are.');
  return confirm({ text, detail, yes: vscode.l10n.t('Delete') });
}
