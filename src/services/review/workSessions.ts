import path from 'node:path';
import type { CheckpointConfig } from '../../config/configTypes';
import type { Approval, ApprovalStatus } from '../checkpoint/engine/approvalSessions';
import type { CheckpointedFolders } from '../checkpoint/host/checkpointedFolders';
import type { EngineClient } from '../checkpoint/host/engineClient';
import { shownPath } from '../checkpoint/host/shownPath';
import type { ChangeSource } from '../database/log/changeSources';
import type { LogQueries } from '../database/log/logQueries';
import type { SessionLog } from '../database/log/sessionLog';
import type { SessionRecord } from '../../types/session';
import { AsyncMutex } from '../../utils/asyncMutex';
import { phrase } from '../../utils/l10n';
import { ChangesError } from './reviewTypes';
import type { PendingChanges } from './pendingChanges';

export interface WorkSessionsHost {
  getCheckpointConfig(): CheckpointConfig;
  /** Returns the workspace folders. There are none in an untrusted workspace. */
  folders(): { name: string; path: string }[];
  /** Returns the folders that checkpoints cover. */
  checkpointed(): CheckpointedFolders;
}

export interface WorkSessionStores {
  log: Pick<SessionLog, 'noteAdded'>;
  queries: Pick<LogQueries, 'changeSources'>;
  sessions: { get(id: string): Promise<Pick<SessionRecord, 'project_path' | 'created_at'> | undefined> };
}

export interface WorkSessionStatus extends ApprovalStatus {
  approvedCheckpointId: string;
  /** Changes with their sources. `source` is absent if no chat has changed the file since the approval. */
  changes: (ApprovalStatus['changes'][number] & { file: string; shown: string; source?: ChangeSource })[];
}

/** Tracks all changes since the user last approved the workspace, regardless of their origin. The user approves them together. */
export class WorkSessions {
  private readonly turn = new AsyncMutex();

  constructor(
    private readonly engine: Pick<EngineClient, 'approvals' | 'checkpoints'>,
    private readonly pending: Pick<PendingChanges, 'keepWith' | 'compared'>,
    private readonly stores: WorkSessionStores,
    private readonly host: WorkSessionsHost,
  ) {}

  /**
   * Compares the workspace with the approved state. Returns null if this is not possible. If the session has no checkpoint yet,
   * takes its approved state now. `hints` contains all paths that changed since the last call, as reported by the editor. Without
   * hints, the whole workspace is scanned. For `from`, see `ApprovalSessions.status`.
   */
  async status(sessionId: string, hints?: readonly string[], from = 0): Promise<WorkSessionStatus | null> {
    const workspace = this.workspace();
    const session = await this.sessionHere(sessionId);
    if (workspace === null || session === undefined) return null;
    let status = await this.engine.approvals.status(sessionId, workspace, false, hints, from);
    if (status.approvedCheckpointId === null) {
      await this.engine.checkpoints.takeNow(sessionId, 'initial', 'Initial state', workspace);
      status = await this.engine.approvals.status(sessionId, workspace);
    }
    const { approvedCheckpointId } = status;
    if (approvedCheckpointId === null) return null;
    const sourceOf = await this.sources(sessionId, status.lastApprovedAt ?? session.created_at);
    const changes = status.changes.map((change) => {
      const file = path.join(change.root, change.path);
      const shown = shownPath(this.host.folders(), change);
      const source = sourceOf(file, shown);
      return { ...change, file, shown, ...(source && { source }) };
    });
    return { ...status, approvedCheckpointId, changes };
  }

  /**
   * Returns a function that finds the source of a file's changes since
   * a time. Edits by this chat count if they remain or were kept.
   */
  private async sources(sessionId: string, since: number): Promise<(file: string, shown: string) => ChangeSource | undefined> {
    const { kept, pending, others, commands } = await this.stores.queries.changeSources(sessionId, since);
    const compared = pending.size === 0 ? [] : await this.pending.compared(sessionId);
    const left = new Set(compared.flatMap(({ rows }) => rows.flatMap(({ path: file, movedFrom }) => [file, movedFrom])));
    return (file, shown) => {
      if (kept.has(file) || left.has(file)) return 'agent';
      if (commands.has(shown)) return 'command';
      return others.has(file) ? 'chat' : undefined;
    };
  }

  /** Compares like `status` and adds the texts of the files. */
  async details(sessionId: string): Promise<WorkSessionStatus | null> {
    const known = await this.status(sessionId);
    const workspace = this.workspace();
    if (known === null || workspace === null) return null;
    const { changes } = await this.engine.approvals.status(sessionId, workspace, true);
    return {
      ...known,
      changes: changes.map((change) => {
        return { ...change, file: path.join(change.root, change.path), shown: shownPath(this.host.folders(), change) };
      }),
    };
  }

  /** Approves the workspace in its current state and keeps pending changes. Keeping them can no longer be undone. */
  approve(sessionId: string, message: string | null = null): Promise<Omit<Approval, 'records'>> {
    return this.turn.runExclusive(async () => {
      let approved: Approval | undefined;
      const workspace = this.workspace();
      if (workspace === null) {
        const [first] = this.host.checkpointed().leftOut;
        throw new ChangesError(
          'noFolder',
          first?.text ?? phrase('Open and trust the folder that this chat belongs to, then approve the changes.'),
        );
      }
      const before = await this.status(sessionId);
      const paths = before?.changes.map(({ shown }) => shown) ?? [];
      await this.pending.keepWith(sessionId, async (kept) => {
        approved = await this.engine.approvals.approve(sessionId, workspace, message, { kept, paths });
        this.stores.log.noteAdded(approved.records);
      });
      if (approved === undefined)
        throw new ChangesError(
          'noFolder',
          phrase('Open and trust the folder that this chat belongs to, then approve the changes.'),
        );
      const { checkpointId, workSession, checkpointCount } = approved;
      return { checkpointId, workSession, checkpointCount };
    });
  }

  /** Returns the session if it belongs to this folder or to no folder. */
  private async sessionHere(sessionId: string): Promise<Pick<SessionRecord, 'created_at'> | undefined> {
    const session = await this.stores.sessions.get(sessionId);
    const project = session?.project_path ?? null;
    return project === null || this.host.folders().some((folder) => folder.path === project) ? session : undefined;
  }

  private workspace() {
    const { isEnabled, exclude, maxFileBytes } = this.host.getCheckpointConfig();
    const { roots } = this.host.checkpointed();
    return isEnabled && roots.length > 0 ? { roots, exclude, maxFileBytes } : null;
  }
}
