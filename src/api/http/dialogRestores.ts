import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { LeftFile, RestoreTarget } from '../../protocol/restore';
import { isInside } from '../../utils/files/isInside';
import { isProtected } from '../../utils/sensitivity/fileSensitivity';
import { ApiError } from '../apiError';
import type { ApiHost, ApiServices } from '../apiPorts';
import { restoreInto } from '../restoreInto';

export interface RestoreChoices {
  targetDir?: string | undefined;
  files?: readonly string[] | undefined;
  dryRun: boolean;
  /** True to skip files that the user has edited. */
  keepOwnEdits: boolean;
}

/**
 * `notFound`: the file is neither in the checkpoint nor in the workspace. `taken`: its
 * path is used by something that is not a file.
 */
export interface SkippedFile {
  path: string;
  reason: LeftFile['reason'] | 'notFound' | 'taken';
}

export interface RestoredDialog {
  restoredFiles: string[];
  skipped: SkippedFile[];
  newCheckpoint: string | null;
}

type Step = Awaited<ReturnType<ApiServices['restores']['plan']>>['steps'][number];

/**
 * Restores and resets for clients. Every file gets the target state, even if the user has edited it, because the
 * checkpoint before the restore contains the edit. Unsaved text in an editor is never overwritten.
 */
export class DialogRestores {
  constructor(
    private readonly services: Pick<ApiServices, 'engine' | 'restores'>,
    private readonly host: Pick<ApiHost, 'askForFolder' | 'folders'>,
  ) {}

  /** Restores a checkpoint to the workspace or to another folder. A folder outside the workspace requires approval. */
  async restore(id: string, checkpointId: string, choices: RestoreChoices, client: string): Promise<RestoredDialog> {
    const { targetDir, files, dryRun } = choices;
    if (targetDir !== undefined && !(await this.isWorkspace(targetDir))) {
      if (!path.isAbsolute(targetDir)) throw new ApiError('INVALID', 'targetDir must be an absolute path');
      if (!dryRun && !(await this.isFree(targetDir)) && !(await this.host.askForFolder(client, targetDir)))
        throw new ApiError('NOT_ALLOWED', `The user did not allow writing to ${targetDir}`);
      const written = await restoreInto(this.services, checkpointId, { targetDir, files: this.named(files), dryRun });
      const skipped = written.skippedFiles.map((file) => ({ path: file, reason: 'taken' as const }));
      return { restoredFiles: written.restoredFiles, skipped, newCheckpoint: null };
    }
    const target = { kind: 'checkpoint', id: checkpointId } as const;
    if (!dryRun) return this.bringBack(id, target, choices);
    const { steps, skipped } = await this.planned(id, target, choices);
    const kept = new Set(skipped.map(({ path: file }) => file));
    return { restoredFiles: steps.map(({ shown }) => shown).filter((shown) => !kept.has(shown)), skipped, newCheckpoint: null };
  }

  /** Resets the workspace to the approved state. */
  async reset(id: string, keepOwnEdits: boolean): Promise<RestoredDialog & { resetTo: string }> {
    return this.bringBack(id, { kind: 'approved' }, { dryRun: false, keepOwnEdits });
  }

  private async bringBack(id: string, target: RestoreTarget, choices: RestoreChoices) {
    const { restores } = this.services;
    const { steps, skipped } = await this.planned(id, target, choices);
    const kept = new Set(skipped.map(({ path: file }) => file));
    const chosen = steps.filter(({ shown }) => !kept.has(shown));
    const overwrite = chosen.filter(({ action }) => action === 'conflict').map(({ file }) => file);
    const result = await restores.restore(id, target, { files: chosen.map(({ file }) => file), overwrite });
    const outcomes = new Map(result.steps.map((step) => [restores.shown(step), step]));
    const restoredFiles: string[] = [];
    for (const { shown } of chosen) {
      const done = outcomes.get(shown);
      if (done?.outcome === 'done') restoredFiles.push(shown);
      else if (done !== undefined)
        skipped.push({ path: shown, reason: done.outcome === 'failed' ? 'failed' : (done.reason ?? 'changed') });
    }
    return { restoredFiles, skipped, newCheckpoint: result.afterId, resetTo: result.checkpointId };
  }

  /** Returns the steps for the requested files, and the files that the restore will skip. */
  private async planned(
    id: string,
    target: RestoreTarget,
    { files, keepOwnEdits }: RestoreChoices,
  ): Promise<{ steps: Step[]; skipped: SkippedFile[] }> {
    const wanted = this.named(files);
    const { steps: all } = await this.services.restores.plan(id, target);
    const steps = wanted === undefined ? all : all.filter(({ shown }) => wanted.includes(shown));
    const isKept = ({ action, reason }: Step) =>
      action === 'keep' || (action === 'conflict' && (keepOwnEdits || reason !== 'changedSince'));
    const skipped: SkippedFile[] = steps
      .filter(isKept)
      .map(({ shown, reason }) => ({ path: shown, reason: reason ?? 'changed' }));
    if (wanted !== undefined && target.kind === 'checkpoint') {
      const held = (await this.services.engine.checkpoints.files(target.id)).map((file) => this.services.restores.shown(file));
      const known = new Set([...held, ...all.map(({ shown }) => shown)]);
      for (const file of wanted) if (!known.has(file)) skipped.push({ path: file, reason: 'notFound' });
    }
    return { steps, skipped };
  }

  /** Returns the names of files as in the conversation, or undefined for all files. */
  private named(files: readonly string[] | undefined): string[] | undefined {
    if (files === undefined || files.length === 0) return undefined;
    const folders = this.host.folders();
    return files.map((file) => {
      const folder = path.isAbsolute(file) ? folders.find(({ path: root }) => isInside(file, root)) : undefined;
      if (folder === undefined) return path.posix.normalize(file.split(path.sep).join('/'));
      return this.services.restores.shown({
        root: folder.path,
        path: path.relative(folder.path, file).split(path.sep).join('/'),
      });
    });
  }

  private async isWorkspace(folder: string): Promise<boolean> {
    return (await this.roots()).includes(await realFolder(folder));
  }

  /**
   * Returns true if files can be written to a folder without a question. The folder is in the
   * workspace, and no program reads code from it.
   */
  private async isFree(folder: string): Promise<boolean> {
    const real = await realFolder(folder);
    return (await this.roots()).some((root) => isInside(real, root) && !isProtected(`${path.relative(root, real)}/file`));
  }

  private roots(): Promise<string[]> {
    return Promise.all(this.host.folders().map(({ path: root }) => realpath(root).catch(() => root)));
  }
}

/** Returns the real path of a folder. If it does not exist, returns the real path of the nearest parent folder that exists. */
async function realFolder(folder: string): Promise<string> {
  const absolute = path.resolve(folder);
  try {
    return await realpath(absolute);
  } catch {
    const above = path.dirname(absolute);
    return above === absolute ? absolute : path.join(await realFolder(above), path.basename(absolute));
  }
}
