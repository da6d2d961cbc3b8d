import path from 'node:path';
import type { z } from 'zod';
import type { Entry } from '../../protocol/entries';
import { isLive } from '../../types/runState';
import type { SessionRecord } from '../../types/session';
import { ApiError } from '../apiError';
import type { ApiHost, ApiServices } from '../apiPorts';
import { absolutePath } from '../events/absolutePath';
import { toApiEvent, type ApiEvent } from '../events/apiEvents';
import { queuePlace } from '../events/queuePlaces';
import { DialogRestores } from './dialogRestores';
import { dialogState } from './dialogState';
import type * as s from './schemas';

const mostDialogs = 10_000;

/** Handles requests about dialogs with the view's services. Dialog is the API's name for a session. */
export class Dialogs {
  readonly restores: DialogRestores;

  constructor(
    private readonly services: ApiServices,
    private readonly host: ApiHost,
  ) {
    this.restores = new DialogRestores(services, host);
  }

  async list(): Promise<z.input<typeof s.dialogsSchema>> {
    const { sessions } = await this.services.database.sessions.list({ offset: 0, limit: mostDialogs });
    const interrupted = await this.services.database.queries.interrupted();
    const dialogs = [];
    for (const record of sessions) dialogs.push(await this.toDialog(record, interrupted));
    return { dialogs, current_dialog_id: this.host.currentSession() ?? sessions[0]?.id ?? null };
  }

  /** Creates a dialog and its initial checkpoint. */
  async create(asked: z.output<typeof s.newDialogSchema>): Promise<z.input<typeof s.createdDialogSchema>> {
    const { title = '', mode = 'agent', explorer_model = null } = asked;
    const { database, controller } = this.services;
    const model = this.host.modelFor(mode);
    const { projectPath } = controller;
    const record = await database.sessions.create({ title, mode, model, projectPath, explorer_model });
    const initial = await this.services.workSessions.status(record.id).catch((error: unknown) => {
      this.host.logger.warn('The initial checkpoint of a dialog could not be taken', error);
      return null;
    });
    return { ...(await this.toDialog(record)), initial_checkpoint: initial?.approvedCheckpointId ?? null };
  }

  async import({ paths }: z.output<typeof s.importBody>): Promise<z.input<typeof s.importedSchema>> {
    if (!paths.every((one) => path.isAbsolute(one))) throw new ApiError('INVALID', 'The paths must be absolute');
    const { issueCount, leftOut, unknownFiles, ...report } = await this.host.importSessions(paths);
    return { ...report, issue_count: issueCount, left_out: leftOut, unknown_files: unknownFiles };
  }

  async history(id: string, { limit, before }: z.output<typeof s.historyQuery>): Promise<z.input<typeof s.historySchema>> {
    await this.need(id);
    const beforeSeq = before === undefined ? Number.MAX_SAFE_INTEGER : before + 1;
    const page = { sessionId: id, beforeSeq, limit, includeCompacted: true };
    const { entries, hasMore } = await this.services.database.queries.page(page);
    const sessions = await this.findWorkSessions(id, entries);
    const events = entries.flatMap((entry): ApiEvent[] => {
      const event = toApiEvent(entry, entry.workSession ?? sessions.get(entry.seq) ?? null, (shown) => this.absolute(shown));
      return event === null ? [] : [event];
    });
    // Tests check that the events of all entries match their schemas.
    const fitting = events as z.input<typeof s.historySchema>['events'];
    return { events: fitting, has_more: hasMore, cursor: hasMore ? (entries[0]?.seq ?? 1) - 1 : null };
  }

  async checkpoints(id: string): Promise<z.input<typeof s.checkpointsSchema>> {
    await this.need(id);
    const taken = (await this.services.restores.list(id, { hasCommands: true })).filter(({ state }) => state === 'taken');
    const checkpoints = taken.map(({ id: commit, title, status }) => ({ commit_id: commit, message: title, status }));
    return { dialog_id: id, checkpoints, initial_checkpoint: taken.find(({ kind }) => kind === 'initial')?.id ?? null };
  }

  async session(id: string): Promise<z.input<typeof s.sessionSchema>> {
    await this.need(id);
    const status = await this.services.workSessions.details(id);
    if (status === null) {
      return { active_session: null, session_ref: null, has_unapproved: false, last_approved_at: null, changed_files: [] };
    }
    return {
      active_session: status.workSession,
      session_ref: `refs/heads/${status.workSession}`,
      has_unapproved: status.changes.some(isTracked),
      last_approved_at: formatIso(status.lastApprovedAt),
      // Symbolic links are not tracked.
      changed_files: status.changes.filter(isTracked).map((change) => ({
        path: change.shown,
        status: change.status,
        additions: change.lines?.additions ?? 0,
        deletions: change.lines?.deletions ?? 0,
        diff: change.diff,
        base_content: change.baseContent,
        is_binary: change.isBinary,
        is_too_large: change.isTooLarge,
      })),
    };
  }

  async approve(id: string, { message }: z.output<typeof s.approveBody>): Promise<z.input<typeof s.approvedSchema>> {
    await this.need(id);
    const { checkpointId, workSession, checkpointCount } = await this.services.workSessions.approve(id, message ?? null);
    return { approved_commit: checkpointId, new_session: workSession, commits_approved: checkpointCount };
  }

  async reset(
    id: string,
    { keep_own_edits: keepOwnEdits = false }: z.output<typeof s.resetBody>,
  ): Promise<z.input<typeof s.resetSchema>> {
    await this.need(id);
    const { resetTo, restoredFiles, skipped } = await this.restores.reset(id, keepOwnEdits);
    const { workSession } = await this.services.engine.approvals.state(id);
    return {
      reset_to: resetTo,
      new_session: workSession,
      ...(restoredFiles.length > 0 && { restored_files: restoredFiles }),
      ...(skipped.length > 0 && { skipped_files: skipped }),
    };
  }

  async restore(id: string, body: z.output<typeof s.restoreBody>, client: string): Promise<z.input<typeof s.restoredSchema>> {
    await this.need(id);
    const { checkpoint_id: checkpointId, targetDir, files, dryRun = false, keep_own_edits: keepOwnEdits = false } = body;
    if ((await this.services.engine.checkpoints.info(checkpointId)).sessionId !== id) {
      throw new ApiError('NOT_FOUND', 'The dialog does not have this checkpoint');
    }
    const done = await this.restores.restore(id, checkpointId, { targetDir, files, dryRun, keepOwnEdits }, client);
    const { restoredFiles, skipped, newCheckpoint } = done;
    return { restored_to: checkpointId, new_checkpoint: newCheckpoint, restored_files: restoredFiles, skipped_files: skipped };
  }

  async send(
    id: string,
    { content, mode, model, sandbox }: z.output<typeof s.messageBody>,
  ): Promise<z.input<typeof s.messageSchema>> {
    const record = await this.need(id);
    const { controller } = this.services;
    await this.useSandbox(id, sandbox);
    const used = mode ?? record.mode;
    const message = { sessionId: id, text: content, mode: used, model: model ?? this.host.modelFor(used) ?? record.model };
    const { state } = await controller.runState(id);
    if (isLive(state)) await controller.enqueue(message);
    else await controller.send(message);
    return this.begun(id, isLive(state));
  }

  /** Continues the last run where it ended. */
  async continue(id: string, { model, sandbox }: z.output<typeof s.continueBody>): Promise<z.input<typeof s.messageSchema>> {
    const { mode } = await this.need(id);
    await this.useSandbox(id, sandbox);
    await this.services.controller.continueRun(id, model ?? this.host.modelFor(mode));
    return this.begun(id, false);
  }

  async stop(id: string): Promise<z.input<typeof s.stoppedSchema>> {
    await this.need(id);
    await this.services.controller.stop(id);
    return { dialog_id: id, status: 'stopped' };
  }

  async decide(
    id: string,
    approval: string,
    { approve, sandbox, unanswered }: z.output<typeof s.approvalBody>,
    client: string,
  ): Promise<z.input<typeof s.doneSchema>> {
    await this.need(id);
    const chosen = { isHost: sandbox === 'allow_host', isOutside: sandbox === 'run_outside' };
    await this.services.controller.decideApproval(id, approval, approve, { client, isUnanswered: unanswered, ...chosen });
    return { ok: true };
  }

  async answer(id: string, question: string, { answer }: z.output<typeof s.questionBody>): Promise<z.input<typeof s.doneSchema>> {
    await this.need(id);
    await this.services.controller.answerQuestion(id, question, answer);
    return { ok: true };
  }

  /** Returns the absolute path of a file that the conversation mentions. */
  absolute(shown: string): string {
    return absolutePath(this.host.folders(), shown);
  }

  /** Returns a session. Throws `NOT_FOUND` if there is none. */
  async need(id: string): Promise<SessionRecord> {
    const record = await this.services.database.sessions.get(id);
    if (record === undefined) throw new ApiError('NOT_FOUND', 'The dialog does not exist');
    return record;
  }

  /**
   * Returns the work sessions of the messages among the entries, by `seq`. If a message has no stored work
   * session, returns the active work session for it.
   */
  async findWorkSessions(id: string, entries: readonly Entry[]): Promise<ReadonlyMap<number, string | null>> {
    const messages = entries.filter(({ type, checkpointId }) => type === 'user_input' && checkpointId !== null);
    if (messages.length === 0) return new Map();
    const { database, engine } = this.services;
    const { entries: logged } = await database.queries.page({
      sessionId: id,
      includeCompacted: true,
      types: ['user_input'],
      limit: messages.length,
      afterSeq: (messages[0]?.seq ?? 1) - 1,
    });
    const known = new Map(logged.map(({ seq, workSession }) => [seq, workSession]));
    if (messages.every(({ seq }) => (known.get(seq) ?? null) !== null)) return known;
    const { workSession } = await engine.approvals.state(id);
    return new Map(messages.map(({ seq }) => [seq, known.get(seq) ?? workSession]));
  }

  private async useSandbox(id: string, sandbox: boolean | undefined): Promise<void> {
    if (sandbox === undefined) return;
    const state = sandbox ? await this.services.sandboxLevelAvailable() : null;
    if (state?.isAvailable === false) throw new ApiError('NOT_ALLOWED', state.reason);
    await this.services.grants.change(id, { sandbox });
  }

  /** Returns the response for a started or queued run. `isWaiting` is true if it waits for an earlier run of the dialog. */
  private async begun(id: string, isWaiting: boolean): Promise<z.input<typeof s.messageSchema>> {
    const { behind } = await queuePlace(this.services, id);
    const status = isWaiting || behind.length > 0 ? 'queued' : 'started';
    const answers = this.host.hasPerson() ? 'person' : 'clients';
    return { dialog_id: id, status, answers, ...(behind.length > 0 && { behind }) };
  }

  private async toDialog(
    record: SessionRecord,
    interrupted: ReadonlySet<string> = new Set(),
  ): Promise<z.input<typeof s.dialogSchema>> {
    const { workSession, lastApprovedAt } = await this.services.engine.approvals.state(record.id);
    return {
      state: await dialogState(this.services, record, interrupted),
      id: record.id,
      title: record.title,
      created_at: new Date(record.created_at).toISOString(),
      updated_at: new Date(record.updated_at).toISOString(),
      active_session: workSession,
      last_approved_at: formatIso(lastApprovedAt),
    };
  }
}

/** Value of `kind` for a symbolic link. */
const link = 2;

function isTracked({ before, after }: { before: { kind: number } | null; after: { kind: number } | null }): boolean {
  return [before, after].some((state) => state !== null && state.kind !== link);
}

function formatIso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
