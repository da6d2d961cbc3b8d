import path from 'node:path';
import { isBelow } from '../../../../utils/files/isInside';
import { forgetMade, madeAbove, folderMark, noteMade, type MadeFolder } from '../../../database/sessions/madeFolders';
import { createStatements, type DatabaseSync, type Statements } from '../../../database/sqlite/sqlite';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { StepResult } from './operationRows';
import type { RestoreStep } from './restoreStep';
import { isPlanned } from './stepRunner';
import { isClear, plannedPathStates } from './pathState';
import { isSystemError } from '../../../../utils/errors';

/** Creates missing workspace folders. Skips a folder whose parent is missing too, because a disk may be disconnected. */
export function makeRoots(fileSystem: FileSystem, steps: readonly RestoreStep[]): void {
  for (const root of new Set(selectWrites(steps).map((step) => step.root))) {
    const isGone = fileSystem.lstat(root) === undefined && fileSystem.lstat(path.dirname(root))?.isDirectory() === true;
    if (isGone) fileSystem.makeFolder(root);
  }
}

/** Folders that tools, undos and restores created. A restore that empties one of these folders also removes the folder. */
export class CreatedFolders {
  private readonly statements: Statements;

  constructor(
    database: DatabaseSync,
    private readonly fileSystem: FileSystem,
  ) {
    this.statements = createStatements(database);
  }

  /** Returns the missing parent folders of the files to create. */
  missingAbove(steps: readonly RestoreStep[]): string[] {
    const missing = new Map<string, boolean>();
    const stateOf = plannedPathStates(this.fileSystem);
    for (const { root, path: relative } of selectWrites(steps)) {
      let folder = path.dirname(path.join(root, relative));
      for (; folder !== root && !missing.has(folder); folder = path.dirname(folder)) {
        missing.set(folder, stateOf(root, path.join(folder, 'any')) !== 'clear');
      }
    }
    return [...missing].filter(([, isMissing]) => isMissing).map(([folder]) => folder);
  }

  /** Returns the folders that exist inside the workspace folders. */
  there(folders: readonly string[], roots: readonly string[]): string[] {
    return folders.filter((folder) =>
      roots.some((root) => isBelow(folder, root) && isClear(this.fileSystem, root, path.join(folder, 'any'))),
    );
  }

  /** Returns the recorded parent folders of the deleted files. */
  above(steps: readonly StepResult[]): string[] {
    return this.known(steps).flatMap((folder) => (this.readMark(folder.path) === folder.mark ? [folder.path] : []));
  }

  /** Records the created folders and forgets deleted folders. Call this in the write transaction that finishes a restore. */
  settle(made: readonly string[], steps: readonly StepResult[]): void {
    const gone = this.known(steps).filter((folder) => this.readMark(folder.path) !== folder.mark);
    forgetMade(
      this.statements,
      gone.map((folder) => folder.path),
    );
    noteMade(
      this.statements,
      made.flatMap((folder) => {
        const mark = this.readMark(folder);
        return mark === null ? [] : [{ path: folder, mark }];
      }),
    );
  }

  private known(steps: readonly StepResult[]): MadeFolder[] {
    const gone = steps.filter(({ action, outcome }) => action === 'delete' && outcome === 'done');
    const roots = new Set(gone.map(({ root }) => root + path.sep));
    const files = gone.map(({ root, path: relative }) => path.join(root, relative));
    return madeAbove(this.statements, files).filter((folder) => [...roots].some((root) => folder.path.startsWith(root)));
  }

  private readMark(folder: string): string | null {
    try {
      const stats = this.fileSystem.lstat(folder);
      return stats?.isDirectory() ? folderMark(stats) : null;
    } catch (error) {
      if (isSystemError(error)) return null;
      throw error;
    }
  }
}

/** Returns the planned steps that write a file. */
function selectWrites(steps: readonly RestoreStep[]): RestoreStep[] {
  return steps.filter((step) => isPlanned(step) && step.to !== null);
}
