import type { Stats } from 'node:fs';
import path from 'node:path';
import type { StepLoss } from '../../../../protocol/restore';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { RestoreStep } from './restoreStep';
import { lookAt, wayTo } from './way';
import { isSystemError } from '../../../../utils/errors';

/** Bits of a mode that no checkpoint holds: setuid, setgid, sticky. */
export const specialBits = 0o7000;

/**
 * Looks at the places of steps for what no checkpoint holds. Where a pipe, a socket or a device is in the way the step is given up; others tell in
 * `loses` what neither they nor their undo can bring back.
 */
export function withPlaces(fileSystem: FileSystem, steps: readonly RestoreStep[]): RestoreStep[] {
  return steps.map((step) => {
    if (step.action === 'keep') return step;
    try {
      const file = path.join(step.root, step.path);
      const way = wayTo(fileSystem, step.root, file);
      if (way === 'missing') return step;
      const found = lookAt(fileSystem, way === 'clear' ? file : way.at);
      if (found === undefined) return step;
      if (step.to !== null && isSpecial(found)) return { ...step, action: 'keep', reason: 'notAFile' };
      const loses = way === 'clear' ? lossesOf(fileSystem, step, file, found) : [];
      return loses.length === 0 ? step : { ...step, loses };
    } catch (error) {
      // The step reports this error when it runs.
      if (isSystemError(error)) return step;
      throw error;
    }
  });
}

/** Tells whether something is neither file nor link nor folder. */
export function isSpecial(stats: Stats): boolean {
  return !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory();
}

/** Tells whether this process can give a file its owner and its group. */
function canOwn({ uid, gid }: Stats): boolean {
  const self = process.getuid?.();
  if (self === undefined || self === 0) return true;
  return uid === self && (gid === process.getegid?.() || (process.getgroups?.() ?? []).includes(gid));
}

function lossesOf(fileSystem: FileSystem, { to }: RestoreStep, file: string, found: Stats): StepLoss[] {
  if (found.isDirectory()) return to !== null && holdsEmptyFolder(fileSystem, file) ? ['emptyFolder'] : [];
  if (!found.isFile()) return [];
  const losses: StepLoss[] = found.nlink > 1 ? ['links'] : [];
  // A deleted file that is restored gets the owner and group of a new file.
  if (to?.kind !== 1 ? !isLikeNew(fileSystem, file, found) : !canOwn(found)) losses.push('owner');
  return losses;
}

/** Tells whether a file has the owner, group and special bits that a new one in its folder would have. */
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
