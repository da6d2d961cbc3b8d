import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { temporaryName } from '../utils/temporaryName';
import type { ApiServices } from './apiPorts';

/** `kind` of a regular file in a checkpoint. */
const regularFile = 1;

export interface RestoredFiles {
  restoredFiles: string[];
  skippedFiles: string[];
}

/**
 * Writes files of a checkpoint into a folder that is not the workspace; what else is there stays. A file that is not stored, or would lie
 * behind a link, is skipped.
 */
export async function restoreInto(
  { engine }: Pick<ApiServices, 'engine'>,
  checkpointId: string,
  { targetDir, files, dryRun }: { targetDir: string; files?: readonly string[] | undefined; dryRun: boolean },
): Promise<RestoredFiles> {
  const result: RestoredFiles = { restoredFiles: [], skippedFiles: [] };
  for (const { root, path: relative, state } of await engine.checkpoints.files(checkpointId)) {
    if (files !== undefined && files.length > 0 && !files.includes(relative)) continue;
    const isDone =
      state.kind === regularFile &&
      (dryRun ||
        (await writeOne(relative, () => engine.checkpoints.fileAt(checkpointId, root, relative), targetDir, state.mode)));
    (isDone ? result.restoredFiles : result.skippedFiles).push(relative);
  }
  return result;
}

async function writeOne(
  relative: string,
  read: () => Promise<Uint8Array | null>,
  targetDir: string,
  mode: number,
): Promise<boolean> {
  const content = await read().catch(() => null);
  if (content === null) return false;
  const target = path.resolve(targetDir, relative);
  await mkdir(targetDir, { recursive: true });
  const root = await realpath(targetDir);
  await mkdir(path.dirname(target), { recursive: true });
  const folder = await realpath(path.dirname(target));
  if (folder !== root && !folder.startsWith(root + path.sep)) return false;
  const temporary = path.join(folder, temporaryName());
  const file = await open(temporary, 'wx', mode & 0o777);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await rename(temporary, path.join(folder, path.basename(target)));
    return true;
  } catch {
    await rm(temporary, { force: true });
    return false;
  }
}
