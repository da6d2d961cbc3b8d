import type { RestoreStep } from './restoreStep';

/**
 * Leaves alone what has no room because of what stays: a file that would be in a folder where a file or link stays, or one in whose place a
 * folder is with something in it that stays. It stays for the reason of what is in its way.
 */
export function withDependents(steps: readonly RestoreStep[]): RestoreStep[] {
  const staying = new Map<string, RestoreStep>();
  const holding = new Map<string, RestoreStep>();
  for (const step of steps) {
    if (step.from === null || (step.action !== 'keep' && step.action !== 'conflict')) continue;
    staying.set(keyOf(step, step.path), step);
    for (const folder of foldersAbove(step.path)) holding.set(keyOf(step, folder), step);
  }
  if (staying.size === 0) return [...steps];
  return steps.map((step) => {
    if (step.action !== 'create' && step.action !== 'write') return step;
    const above = foldersAbove(step.path).map((folder) => staying.get(keyOf(step, folder)));
    const obstacle = above.find((one) => one !== undefined) ?? holding.get(keyOf(step, step.path));
    return obstacle === undefined ? step : { ...step, action: obstacle.action, reason: obstacle.reason };
  });
}

function keyOf({ rootId }: RestoreStep, path: string): string {
  return `${rootId}:${path}`;
}

function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) folders.push(path.slice(0, slash));
  return folders;
}
