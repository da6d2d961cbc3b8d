import path from 'node:path';
import type { Clock } from '../../../../utils/clock';
import { inTransaction } from '../../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { Workspace } from '../manifests/snapshotTaker';
import { assertNobodyWorks } from '../workingSessions';
import type { Operation } from './operationRows';
import { rootsOf, type RestoreExecution, type RestoreResult } from './restoreExecution';
import { isSystemError } from '../../../../utils/errors';

/** Finds restores that were cut off, and finishes them. */
export class InterruptedRestores {
  constructor(
    private readonly parts: { database: DatabaseSync; clock: Clock; owner: string; fileSystem: FileSystem },
    private readonly execution: RestoreExecution,
  ) {}

  /**
   * Finishes restores that were interrupted, of processes that are gone, and of this one, where one of their folders is in this workspace;
   * returns those whose session is still there. Throws as `Restorer.restore` does, and what kept one from being finished, after all others.
   */
  recover(workspace: Workspace): RestoreResult[] {
    const roots = workspace.roots.map((root) => path.resolve(root));
    const failures: unknown[] = [];
    const results = this.left(roots).flatMap((operation) => {
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
      // The folders of the checkpoint before it, whichever are open now: what differs between the two is this session's.
      const open = new Set(workspace.roots.map((root) => path.resolve(root)));
      const there = rootsOf(data).filter((root) => open.has(root) || this.holdsAny(root));
      return [this.execution.perform(id, sessionId, data, { ...workspace, roots: there.length > 0 ? there : workspace.roots })];
    }
    // Files are not left half restored.
    this.execution.performUntold(id, data);
    return [];
  }

  /** Tells whether a folder that nobody has open can be looked into: its disk may be gone, and the empty folder left that it stood for. */
  private holdsAny(root: string): boolean {
    try {
      return this.parts.fileSystem.list(root).length > 0;
    } catch (error) {
      if (isSystemError(error)) return false;
      throw error;
    }
  }

  private left(roots: readonly string[]): Operation[] {
    return this.execution.operations.running().filter(({ data }) => {
      const own = rootsOf(data);
      // The others may never be opened again.
      return own.length === 0 || own.some((root) => roots.includes(root));
    });
  }

  /** False where another process has taken it over, or ended it. */
  private take({ id, data }: Operation, roots: readonly string[]): boolean {
    return inTransaction(this.parts.database, () => {
      if (!this.execution.operations.running().some((operation) => operation.id === id)) return false;
      assertNobodyWorks(this.parts, [...roots, ...rootsOf(data)]);
      this.execution.operations.take(id);
      return true;
    });
  }
}
