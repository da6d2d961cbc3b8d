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
  /** Returns the workspace folders; none if the workspace is not trusted. */
  folders(): { name: string; path: string }[];
  /** Returns the folders among these that have checkpoints. */
  checkpointed(): CheckpointedFolders;
}

export interface WorkSessionStores {
  log: Pick<SessionLog, 'noteAdded'>;
  queries: Pick<LogQueries, 'changeSources'>;
  sessions: { get(id: string): Promise<Pick<SessionRecord, 'project_path' | 'created_at'> | undefined> };
}

export interface WorkSessionStatus extends ApprovalStatus {
  approvedCheckpointId: string;
  /** `source`: absent if neither this chat nor another one has changed the file since the approval. */
  changes: (ApprovalStatus['changes'][number] & { file: string; shown: string; source?: ChangeSource })[];
}

/**
 * Tracks what has changed since a person last approved the state of the workspace, whoever changed it: it is approved as
 * a whole.
 */
export class WorkSessions {
  private readonly turn = new AsyncMutex();

  constructor(
    private readonly engine: Pick<EngineClient, 'approvals' | 'checkpoints'>,
    private readonly pending: Pick<PendingChanges, 'keepWith'>,
    private readonly stores: WorkSessionStores,
    private readonly host: WorkSessionsHost,
  ) {}

  /**
   * Compares the workspace with the approved state; null if nothing can be known of the workspace. A session that has no checkpoint yet,
   * such
   * as one of an earlier version, gets its approved state now. `hints`: all that has changed since the last call, as far as the editor
   * told;
   * without them the workspace is walked. `from` as in `ApprovalSessions.status`.
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
    const { edits, commands } = await this.stores.queries.changeSources(sessionId, status.lastApprovedAt ?? session.created_at);
    const changes = status.changes.map((change) => {
      const file = path.join(change.root, change.path);
      const shown = shownPath(this.host.folders(), change);
      const edited = edits.get(file);
      const source: ChangeSource | undefined = edited !== 'agent' && commands.has(shown) ? 'command' : edited;
      return { ...change, file, shown, ...(source && { source }) };
    });
    return { ...status, approvedCheckpointId, changes };
  }

  /** Compares like `status`, with the texts of the files. */
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

  /** Takes the workspace as it is now as approved: what waited for an answer is kept, and cannot be taken back any more. */
  approve(sessionId: string, message: string | null = null): Promise<Omit<Approval, 'records'>> {
    return this.turn.runExclusive(async () => {
      let approved: Approval | undefined;
      const workspace = this.workspace();
      if (workspace === null) {
        const [first] = this.host.checkpointed().leftOut;
        throw new ChangesError('noFolder', first?.text ?? phrase('Open the folder of this chat and trust it, then approve.'));
      }
      const before = await this.status(sessionId);
      const paths = before?.changes.map(({ shown }) => shown) ?? [];
      await this.pending.keepWith(sessionId, async (kept) => {
        approved = await this.engine.approvals.approve(sessionId, workspace, message, { kept, paths });
        this.stores.log.noteAdded(approved.records);
      });
      if (approved === undefined)
        throw new ChangesError('noFolder', phrase('Open the folder of this chat and trust it, then approve.'));
      const { checkpointId, workSession, checkpointCount } = approved;
      return { checkpointId, workSession, checkpointCount };
    });
  }

  /** Returns a session that belongs to this folder: one of another folder knows nothing of the files here. */
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
