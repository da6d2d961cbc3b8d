import * as vscode from 'vscode';
import type { MentionPlace, MentionReader } from '../../agent/prompt/mentionReader';
import { largerLimitNotice } from '../../agent/kernel/notices';
import type { SessionController } from '../../agent/loop/sessionController';
import { attachmentRefSchema, type Attachment, type AttachmentRef } from '../../protocol/entries';
import type { HostApi } from '../../protocol/hostApi';
import type { QueuedMessageItem } from '../../protocol/requests/messageRequests';
import type { SessionSummary } from '../../protocol/webviewEvents';
import type { DatabaseService } from '../../services/database/databaseService';
import { isAlive } from '../../services/database/sessions/heartbeat';
import type { SessionRecord } from '../../types/session';
import type { Clock } from '../../utils/clock';
import { AppError } from '../../utils/errors';
import { confirm } from '../../vscode/confirm';
import { noResult } from '../noResult';
import type { HybridSearch } from './meaningSearch';
import { searchByMeaning } from './meaningSearch';
import { deleteSession } from './sessionDeletion';

/** Number of entries to show first. A few more are added to start with a whole turn. */
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
type SessionListApi = Pick<HostApi, 'renameSession' | 'exportSession' | 'showRequest' | 'deleteSession'>;
type QueueRequest = 'listQueued' | 'enqueue' | 'removeQueued' | 'sendQueued';

class SessionMissingError extends AppError {
  readonly code = 'sessionMissing';

  constructor() {
    super('No such session', vscode.l10n.t('This chat no longer exists. Start a new chat.'));
  }
}

export function sessionHandlers(
  database: DatabaseService,
  controller: SessionController,
  mentions: Pick<MentionReader, 'read'>,
  clock: Clock,
  /** Called before the log of a session is read for the view. */
  onShow: (sessionId: string) => void,
  messages: HybridSearch,
): SessionApi {
  const toSummary = async (
    record: SessionRecord,
    counts?: Awaited<ReturnType<DatabaseService['fileSnapshots']['getSessionsPendingStats']>>,
  ): Promise<SessionSummary> => ({
    id: record.id,
    title: record.title,
    mode: record.mode,
    model: record.model,
    state: await readState(record, controller, clock),
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    ...(record.imported !== null && { isImported: true }),
    ...(record.is_inline === 1 && { isInline: true }),
    ...(counts?.has(record.id) === true && { pending: counts.get(record.id) }),
  });
  const readAll = async (refs: readonly AttachmentRef[] = [], place: MentionPlace): Promise<Attachment[]> => {
    const read: Attachment[] = [];
    for (const ref of refs) read.push(await mentions.read(ref, place));
    return read;
  };

  /** Unfinished writes to the log or queue. */
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
      return { session: await toSummary(record), ...log, run: await controller.runState(sessionId) };
    },
    earlierEntries: async ({ sessionId, beforeSeq, limit }) => {
      const { entries, hasEarlier } = await database.log.readPage(sessionId, beforeSeq, limit);
      return { entries, hasEarlier };
    },
    listSessions: async ({ offset, limit }) => {
      const { sessions: records, ...page } = await database.sessions.list({ offset, limit });
      const counts = await database.fileSnapshots.getSessionsPendingStats();
      return { ...page, sessions: await Promise.all(records.map((record) => toSummary(record, counts))) };
    },
    searchSessions: async (request) => {
      const { byMeaning, ...asked } = request;
      const { found, ...page } =
        byMeaning === true ? await searchByMeaning(database, messages, asked) : await database.search(asked);
      const counts = await database.fileSnapshots.getSessionsPendingStats();
      const summaries = await Promise.all(found.map(async ({ sessionId }) => database.sessions.get(sessionId)));
      const sessions = await Promise.all(summaries.map(async (record) => record && toSummary(record, counts)));
      return {
        ...page,
        found: found.flatMap(({ title, line }, index) => {
          const session = sessions[index];
          return session === undefined ? [] : [{ session, title, line }];
        }),
      };
    },
    send: async ({ attachments, ...message }) => {
      const sent = readAll(attachments, message).then((read) => controller.send({ ...message, attachments: read }));
      return { sessionId: (await storing(sent)).sessionId };
    },
    wasSent: async (draft) => {
      // A reloaded view asks about messages whose response it missed.
      await Promise.allSettled(underWay);
      return { sent: await database.queries.wasSent(draft, controller.projectPath) };
    },
    resend: noResult((input) => storing(controller.resend(input))),
    listQueued: async ({ sessionId }) => ({ messages: (await database.queued.list(sessionId)).map(toQueuedMessage) }),
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
    decideApproval: noResult(({ sessionId, approvalId, approve, always, host }) =>
      controller.decideApproval(sessionId, approvalId, approve, { isAlways: always, isHost: host }),
    ),
  };
}

export function sessionListHandlers(
  { sessions }: Pick<DatabaseService, 'sessions'>,
  controller: Pick<SessionController, 'runState' | 'stop'>,
  onDeleted: (sessionId: string) => void,
): SessionListApi {
  return {
    renameSession: noResult(({ sessionId, title }) => sessions.update(sessionId, { title })),
    exportSession: noResult(({ sessionId }) => vscode.commands.executeCommand('ollamaCopilot.exportSession', sessionId)),
    showRequest: noResult(({ sessionId, turn }) => vscode.commands.executeCommand('ollamaCopilot.showRequest', sessionId, turn)),
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

/** Returns a queued message for the view, without the content of its attachments. */
export function toQueuedMessage({ id, text, mode, attachments }: QueuedMessageItem): QueuedMessageItem {
  return { id, text, mode, attachments: attachments.map((attachment) => attachmentRefSchema.parse(attachment)) };
}

async function readState(record: SessionRecord, controller: SessionController, clock: Clock): Promise<SessionSummary['state']> {
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
    ? vscode.l10n.t('The chat is running and will be stopped. A deleted chat cannot be restored. Your files are not changed.')
    : vscode.l10n.t('A deleted chat cannot be restored. Your files are not changed.');
  return confirm({ text, detail, yes: vscode.l10n.t('Delete') });
}
