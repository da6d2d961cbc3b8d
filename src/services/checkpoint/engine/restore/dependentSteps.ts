import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { foldedName } from '../../../../utils/files/foldedName';
import { foldersAbove } from './folderSpelling';
import { statsAt } from './pathState';
import type { RestoreStep } from './restoreStep';

/** Kept path that may block other steps: a kept file, or one of its parent folders. */
interface Staying {
  path: string;
  step: RestoreStep;
}

/**
 * Skips steps that a kept path blocks. A step is blocked if its file is below a kept file or link, or replaces a folder with kept
 * content. On file systems that ignore spelling differences, a kept file with another spelling of its name also blocks the step.
 * The skipped step gets the reason of the blocking step.
 */
export function withDependents(fileSystem: Pick<FileSystem, 'lstat'>, steps: readonly RestoreStep[]): RestoreStep[] {
  const staying = new Map<string, Staying>();
  const holding = new Map<string, Staying>();
  for (const step of steps) {
    if (step.from === null || (step.action !== 'keep' && step.action !== 'conflict')) continue;
    staying.set(createKey(step, step.path), { path: step.path, step });
    for (const folder of foldersAbove(step.path)) holding.set(createKey(step, folder), { path: folder, step });
  }
  if (staying.size === 0) return [...steps];
  const blocks = ({ root }: RestoreStep, found: Staying | undefined, name: string): found is Staying =>
    found !== undefined && (found.path === name || isSameEntry(fileSystem, path.join(root, found.path), path.join(root, name)));
  return steps.map((step) => {
    if (step.action !== 'create' && step.action !== 'write') return step;
    const obstacles = foldersAbove(step.path).map((folder) => [staying.get(createKey(step, folder)), folder] as const);
    const key = createKey(step, step.path);
    obstacles.push([holding.get(key), step.path]);
    if (step.action === 'create') obstacles.push([staying.get(key), step.path]);
    const obstacle = obstacles.flatMap(([found, name]) => (blocks(step, found, name) ? [found.step] : []))[0];
    return obstacle === undefined ? step : { ...step, action: obstacle.action, reason: obstacle.reason };
  });
}

function createKey({ rootId }: RestoreStep, name: string): string {
  return `${rootId}:${foldedName(name)}`;
}

function isSameEntry(fileSystem: Pick<FileSystem, 'lstat'>, one: string, other: string): boolean {
  const first = statsAt(fileSystem, one);
  const second = statsAt(fileSystem, other);
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}
