import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';
import type { Entry } from '../../protocol/entries';
import type { RestoreTarget } from '../../protocol/restore';
import { isLive } from '../../types/runState';
import type { SessionRecord } from '../../types/session';
import { ApiError } from '../apiError';
import type { ApiHost, ApiServices } from '../apiPorts';
import { eventOf, type ApiEvent } from '../events/apiEvents';
import { restoreInto } from '../restoreInto';
import type * as s from './schemas';

/** Pages of the list; nobody has more dialogs. */
const mostDialogs = 10_000;

/** Requests about dialogs, which are sessions in the words of the protocol. Everything is done by the services that the view calls. */
export class Dialogs {
  constructor(
    private readonly services: ApiServices,
    private readonly host: ApiHost,
  ) {}

  async list(): Promise<z.input<typeof s.dialogsSchema>> {
    const { sessions } = await this.services.database.sessions.list({ offset: 0, limit: mostDialogs });
    const dialogs = [];
    for (const record of sessions) dialogs.push(await this.dialogOf(record));
    return { dialogs, current_dialog_id: this.host.currentSession() };
  }

  async create(asked: z.output<typeof s.newDialogSchema>): Promise<z.input<typeof s.dialogSchema>> {
    const { title = '', mode = 'agent', explorer_model = null } = asked;
    const { database, controller } = this.services;
    const [model, { projectPath }] = [this.host.modelFor(mode), controller];
    return this.dialogOf(await database.sessions.create({ title, mode, model, projectPath, explorer_model }));
  }

  async history(id: string, { limit, before }: z.output<typeof s.historyQuery>): Promise<z.input<typeof s.historySchema>> {
    await this.need(id);
    const beforeSeq = before === undefined ? Number.MAX_SAFE_INTEGER : before + 1;
    const page = { sessionId: id, beforeSeq, limit, includeCompacted: true };
    const { entries, hasMore } = await this.services.database.queries.page(page);
    const sessions = await this.workSessionsOf(id, entries);
    const events = entries.flatMap((entry): ApiEvent[] => {
      const event = eventOf(entry, entry.workSession ?? sessions.get(entry.seq) ?? null);
      return event === null ? [] : [event];
    });
    return { events, has_more: hasMore, cursor: hasMore ? (entries[0]?.seq ?? 1) - 1 : null };
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
      has_unapproved: status.hasUnapproved,
      last_approved_at: isoOf(status.lastApprovedAt),
      changed_files: status.changes.map((change) => ({
        ...{ path: change.shown, status: change.status },
        ...{ additions: change.lines?.additions ?? 0, deletions: change.lines?.deletions ?? 0 },
        ...{ diff: change.diff, base_content: change.baseContent },
        ...{ is_binary: change.isBinary, is_too_large: change.isTooLarge },
      })),
    };
  }

  async approve(id: string, { message }: z.output<typeof s.approveBody>): Promise<z.input<typeof s.approvedSchema>> {
    await this.need(id);
    const { checkpointId, workSession, checkpointCount } = await this.services.workSessions.approve(id, message ?? null);
    return { approved_commit: checkpointId, new_session: workSession, commits_approved: checkpointCount };
  }

  async reset(id: string): Promise<z.input<typeof s.resetSchema>> {
    await this.need(id);
    const { checkpointId } = await this.bringBack(id, { kind: 'approved' });
    return { reset_to: checkpointId, new_session: (await this.services.engine.approvals.state(id)).workSession };
  }

  async restore(id: string, body: z.output<typeof s.restoreBody>, client: string): Promise<z.input<typeof s.restoredSchema>> {
    await this.need(id);
    const { checkpoint_id: checkpointId, targetDir, files, dryRun = false } = body;
    if ((await this.services.engine.checkpoints.info(checkpointId)).sessionId !== id) {
      throw new ApiError('NOT_FOUND', 'The dialog has no such checkpoint');
    }
    const done = await this.restoreCheckpoint(id, checkpointId, { targetDir, files, dryRun }, client);
    const { restoredFiles, skippedFiles, newCheckpoint } = done;
    return {
      restored_to: checkpointId,
      new_checkpoint: newCheckpoint,
      restored_files: restoredFiles,
      skipped_files: skippedFiles,
    };
  }

  /** Restores into the workspace or, once a person has agreed, into another folder. */
  async restoreCheckpoint(
    id: string,
    checkpointId: string,
    { targetDir, files, dryRun }: { targetDir?: string | undefined; files?: readonly string[] | undefined; dryRun: boolean },
    client: string,
  ): Promise<{ restoredFiles: string[]; skippedFiles: string[]; newCheckpoint: string | null }> {
    if (targetDir !== undefined && !(await this.isWorkspace(targetDir))) {
      if (!path.isAbsolute(targetDir)) throw new ApiError('INVALID', 'targetDir has to be an absolute path');
      if (!dryRun && !(await this.host.askForFolder(client, targetDir))) {
        throw new ApiError('NOT_ALLOWED', `Nobody has allowed to write into ${targetDir}`);
      }
      const written = await restoreInto(this.services, checkpointId, { targetDir, files, dryRun });
      return { ...written, newCheckpoint: null };
    }
    const target = { kind: 'checkpoint', id: checkpointId } as const;
    if (!dryRun) {
      const { restored, skipped, afterId } = await this.bringBack(id, target, files);
      return { restoredFiles: restored, skippedFiles: skipped, newCheckpoint: afterId };
    }
    const { steps } = await this.services.restores.plan(id, target);
    const wanted = steps.filter(({ shown }) => isWanted(shown, files));
    const isKept = ({ action }: (typeof wanted)[number]) => action === 'keep' || action === 'conflict';
    return {
      restoredFiles: wanted.filter((step) => !isKept(step)).map(({ shown }) => shown),
      skippedFiles: wanted.filter(isKept).map(({ shown }) => shown),
      newCheckpoint: null,
    };
  }

  async send(id: string, { content, mode, model }: z.output<typeof s.messageBody>): Promise<z.input<typeof s.messageSchema>> {
    const record = await this.need(id);
    const { controller } = this.services;
    const used = mode ?? record.mode;
    const message = { sessionId: id, text: content, mode: used, model: model ?? this.host.modelFor(used) ?? record.model };
    const { state } = await controller.runState(id);
    if (isLive(state)) await controller.enqueue(message);
    else await controller.send(message);
    return { dialog_id: id, status: isLive(state) ? 'queued' : 'started' };
  }

  async stop(id: string): Promise<z.input<typeof s.stoppedSchema>> {
    await this.need(id);
    await this.services.controller.stop(id);
    return { dialog_id: id, status: 'stopped' };
  }

  async decide(
    id: string,
    approval: string,
    { approve }: z.output<typeof s.approvalBody>,
  ): Promise<z.input<typeof s.doneSchema>> {
    await this.need(id);
    await this.services.controller.decideApproval(id, approval, approve);
    return { ok: true };
  }

  async answer(id: string, question: string, { answer }: z.output<typeof s.questionBody>): Promise<z.input<typeof s.doneSchema>> {
    await this.need(id);
    await this.services.controller.answerQuestion(id, question, answer);
    return { ok: true };
  }

  /** Returns a session; throws `NOT_FOUND`. */
  async need(id: string): Promise<SessionRecord> {
    const record = await this.services.database.sessions.get(id);
    if (record === undefined) throw new ApiError('NOT_FOUND', 'There is no such dialog');
    return record;
  }

  /** Returns the work sessions of the messages among these entries, by their `seq`: that of the checkpoint, or the active one. */
  async workSessionsOf(id: string, entries: readonly Entry[]): Promise<ReadonlyMap<number, string | null>> {
    const messages = entries.filter(({ type, checkpointId }) => type === 'user_input' && checkpointId !== null);
    if (messages.length === 0) return new Map();
    const { database, engine } = this.services;
    const { entries: logged } = await database.queries.page({
      ...{ sessionId: id, includeCompacted: true, types: ['user_input'], limit: messages.length },
      afterSeq: (messages[0]?.seq ?? 1) - 1,
    });
    const known = new Map(logged.map(({ seq, workSession }) => [seq, workSession]));
    if (messages.every(({ seq }) => (known.get(seq) ?? null) !== null)) return known;
    const { workSession } = await engine.approvals.state(id);
    return new Map(messages.map(({ seq }) => [seq, known.get(seq) ?? workSession]));
  }

  private async dialogOf(record: SessionRecord): Promise<z.input<typeof s.dialogSchema>> {
    const { workSession, lastApprovedAt } = await this.services.engine.approvals.state(record.id);
    return {
      ...{ id: record.id, title: record.title },
      ...{ created_at: new Date(record.created_at).toISOString(), updated_at: new Date(record.updated_at).toISOString() },
      ...{ active_session: workSession, last_approved_at: isoOf(lastApprovedAt) },
    };
  }

  /** Files in conflict stay as they are: nobody is there to choose. */
  private async bringBack(id: string, target: RestoreTarget, files?: readonly string[]) {
    const { restores } = this.services;
    const { steps } = await restores.plan(id, target);
    const chosen = steps.filter(({ action, shown }) => action !== 'keep' && action !== 'conflict' && isWanted(shown, files));
    const result = await restores.restore(id, target, { files: chosen.map(({ file }) => file), overwrite: [] });
    const done = new Set(result.steps.filter(({ outcome }) => outcome === 'done').map((step) => restores.shown(step)));
    const wanted = steps.map(({ shown }) => shown).filter((shown) => isWanted(shown, files));
    return {
      ...{ checkpointId: result.checkpointId, afterId: result.afterId },
      restored: wanted.filter((shown) => done.has(shown)),
      skipped: wanted.filter((shown) => !done.has(shown)),
    };
  }

  private async isWorkspace(folder: string): Promise<boolean> {
    const real = await realpath(folder).catch(() => path.resolve(folder));
    for (const { path: root } of this.host.folders()) if ((await realpath(root).catch(() => root)) === real) return true;
    return false;
  }
}

function isWanted(shown: string, files: readonly string[] | undefined): boolean {
  return files === undefined || files.length === 0 || files.includes(shown);
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
