import type { Stats } from 'node:fs';
import path from 'node:path';
import type { StepLoss } from '../../../../protocol/restore';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { RestoreStep } from './restoreStep';
import { plannedPathStates, statsAt } from './pathState';
import { isSystemError } from '../../../../utils/errors';

/** Mode bits that no checkpoint stores: setuid, setgid and sticky. */
export const specialBits = 0o7000;

/**
 * Checks the targets of steps for data that no checkpoint stores. Skips steps that are blocked by a pipe, socket or device.
 * Records in `loses` the data that neither the restore nor its undo can restore.
 */
export function withLosses(fileSystem: FileSystem, steps: readonly RestoreStep[]): RestoreStep[] {
  const stateOf = plannedPathStates(fileSystem);
  return steps.map((step) => {
    if (step.action === 'keep') return step;
    try {
      const file = path.join(step.root, step.path);
      const way = stateOf(step.root, file);
      if (way === 'missing') return step;
      const found = statsAt(fileSystem, way === 'clear' ? file : way.at);
      if (found === undefined) return step;
      if (step.to !== null && isSpecial(found)) return { ...step, action: 'keep', reason: 'notAFile' };
      const loses = way === 'clear' ? findLosses(fileSystem, step, file, found) : [];
      return loses.length === 0 ? step : { ...step, loses };
    } catch (error) {
      // The step reports this error when it runs.
      if (isSystemError(error)) return step;
      throw error;
    }
  });
}

/** Returns true for anything that is neither file, link nor folder. */
export function isSpecial(stats: Stats): boolean {
  return !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory();
}

/** Returns true if this process can set this owner and group on a file. */
function canOwn({ uid, gid }: Stats): boolean {
  const self = process.getuid?.();
  if (self === undefined || self === 0) return true;
  return uid === self && (gid === process.getegid?.() || (process.getgroups?.() ?? []).includes(gid));
}

function findLosses(fileSystem: FileSystem, { to }: RestoreStep, file: string, found: Stats): StepLoss[] {
  if (found.isDirectory()) return to !== null && holdsEmptyFolder(fileSystem, file) ? ['emptyFolder'] : [];
  if (!found.isFile()) return [];
  const losses: StepLoss[] = found.nlink > 1 ? ['links'] : [];
  // If the file is deleted and restored later, it gets the owner and group of a new file.
  if (to?.kind !== 1 ? !isLikeNew(fileSystem, file, found) : !canOwn(found)) losses.push('owner');
  return losses;
}

/** Returns true if the file has the same owner, group and special mode bits as a new file in its folder. */
function isLikeNew(fileSystem: FileSystem, file: string, { uid, gid, mode }: Stats): boolean {
  const folder = fileSystem.lstat(path.dirname(file));
  const groups = [process.getegid?.() ?? gid, ...(folder === undefined ? [] : [folder.gid])];
  return uid === (process.getuid?.() ?? uid) && groups.includes(gid) && (mode & specialBits) === 0;
}

function holdsEmptyFolder(fileSystem: FileSystem, folder: string): boolean {
  const entries = fileSystem.list(folder);
  return (
    entries.length === 0 || entries.some((one) => one.isDirectory() && holdsEmptyFolder(fileSystem, path.join(folder, one.name)))
  );
}
