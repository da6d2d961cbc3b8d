import path from 'node:path';
import type { Clock } from '../../../../utils/clock';
import { inTransaction } from '../../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { Workspace } from '../manifests/snapshotTaker';
import { assertNoActiveWork } from '../activeSessions';
import type { Operation } from './operationRows';
import { listRoots, type RestoreExecution, type RestoreResult } from './restoreExecution';
import { isSystemError } from '../../../../utils/errors';

export class InterruptedRestores {
  constructor(
    private readonly parts: { database: DatabaseSync; clock: Clock; owner: string; fileSystem: FileSystem },
    private readonly execution: RestoreExecution,
  ) {}

  /**
   * Finishes interrupted restores that were started by this process or by processes that have exited. One of the restore's
   * folders must be in this workspace. Returns the restores whose session still exists. Tries all restores, then throws the first
   * failure. Throws the same errors as `Restorer.restore`.
   */
  recover(workspace: Workspace): RestoreResult[] {
    const roots = workspace.roots.map((root) => path.resolve(root));
    const failures: unknown[] = [];
    const results = this.interrupted(roots).flatMap((operation) => {
      try {
        return this.take(operation, roots) ? this.finish(operation, workspace) : [];
      } catch (error) {
        failures.push(error);
        return [];
      }
    });
    this.execution.sweep();
    if (failures.length > 0) throw failures[0];
    return results;
  }

  private finish(operation: Operation, workspace: Workspace): RestoreResult[] {
    const { id, sessionId, data } = operation;
    if (this.execution.operations.hasSession(operation)) {
      // Use all folders of the restore, not only open folders, so that all differences between its checkpoints are attributed to
      // this session.
      const open = new Set(workspace.roots.map((root) => path.resolve(root)));
      const there = listRoots(data).filter((root) => open.has(root) || this.holdsAny(root));
      return [this.execution.perform(id, sessionId, data, { ...workspace, roots: there.length > 0 ? there : workspace.roots })];
    }
    // Finish the restore anyway, so that no file stays half restored.
    this.execution.performWithoutSession(id, data);
    return [];
  }

  /** Returns true if a folder that is not open has content. An empty folder may be the mount point of a disconnected disk. */
  private holdsAny(root: string): boolean {
    try {
      return this.parts.fileSystem.list(root).length > 0;
    } catch (error) {
      if (isSystemError(error)) return false;
      throw error;
    }
  }

  private interrupted(roots: readonly string[]): Operation[] {
    return this.execution.operations.running().filter(({ data }) => {
      const own = listRoots(data);
      // One shared folder is enough, because the other folders may never be opened again.
      return own.length === 0 || own.some((root) => roots.includes(root));
    });
  }

  /** Takes over a restore. Returns false if another process has taken it over or finished it. */
  private take({ id, data }: Operation, roots: readonly string[]): boolean {
    return inTransaction(this.parts.database, () => {
      if (!this.execution.operations.running().some((operation) => operation.id === id)) return false;
      assertNoActiveWork(this.parts, [...roots, ...listRoots(data)]);
      this.execution.operations.take(id);
      return true;
    });
  }
}
