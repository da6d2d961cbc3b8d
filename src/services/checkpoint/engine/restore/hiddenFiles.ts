import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { Files } from '../manifests/manifestReader';
import { fileFlags, type FileState } from '../scan/scannedFile';
import type { RestoreStep } from './restoreStep';
import { statsAt, readPathState } from './pathState';
import { isSystemError } from '../../../../utils/errors';

/** Adds the files of these steps to the ignored files that are stored. */
export function addFiles(steps: readonly RestoreStep[], unusual: Files): Files {
  const also: Files = new Map([...unusual].map(([root, files]) => [root, new Map(files)]));
  for (const { rootId, path: relative, from, to } of steps) {
    const state = to ?? from;
    if (state === null) continue;
    if (!also.has(rootId)) also.set(rootId, new Map());
    also.get(rootId)?.set(relative, { ...state, flags: fileFlags.kept });
  }
  return also;
}

/** Returns the steps, or throws an error that `withHidden` catches. */
export type NotHidden = (steps: RestoreStep[]) => RestoreStep[];

interface HiddenFile {
  rootId: number;
  path: string;
  as: FileState;
}

class HiddenFiles extends Error {
  constructor(readonly files: readonly HiddenFile[]) {
    super('Files are in the way that no snapshot has');
  }
}

/**
 * Runs `work`, which passes its steps to `notHidden`. A file to create may collide with an ignored file that no snapshot
 * contains. It may also collide with an ignored file or link in place of a folder. In this case, `work` runs again with these
 * files added to `also`. At first, `also` is `unusual`.
 */
export function withHidden<T>(fileSystem: FileSystem, unusual: Files, work: (also: Files, notHidden: NotHidden) => T): T {
  const notHidden: NotHidden = (steps) => {
    const known = new Set(steps.flatMap(({ root, path: relative, from }) => (from === null ? [] : [path.join(root, relative)])));
    const hidden = steps.flatMap((step): HiddenFile[] => {
      if (step.to === null || step.from !== null) return [];
      const place = obstacleAt(fileSystem, step.root, path.join(step.root, step.path));
      if (place === null || known.has(place)) return [];
      return [{ rootId: step.rootId, path: path.relative(step.root, place).split(path.sep).join('/'), as: step.to }];
    });
    if (hidden.length > 0) throw new HiddenFiles(hidden);
    return steps;
  };
  try {
    return work(unusual, notHidden);
  } catch (error) {
    if (!(error instanceof HiddenFiles)) throw error;
    const also: Files = new Map([...unusual].map(([root, files]) => [root, new Map(files)]));
    for (const { rootId, path: relative, as } of error.files) also.get(rootId)?.set(relative, { ...as, flags: fileFlags.kept });
    return work(also, (steps) => steps);
  }
}

/** Returns the existing file or link at a path, or at one of its parents. Returns null if there is none. */
function obstacleAt(fileSystem: FileSystem, root: string, file: string): string | null {
  try {
    const way = readPathState(fileSystem, root, file);
    if (way === 'missing') return null;
    const place = way === 'clear' ? file : way.at;
    const found = place === root ? undefined : statsAt(fileSystem, place);
    return found !== undefined && (found.isFile() || found.isSymbolicLink()) ? place : null;
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}
