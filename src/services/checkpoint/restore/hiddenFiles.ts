import path from 'node:path';
import { isSystemError, type FileSystem } from '../fileSystem';
import type { Files } from '../manifestReader';
import { fileFlags } from '../scan/scannedFile';
import type { RestoreStep } from './restorePlan';

/** Gives back the steps; what it throws is for `withHidden`. */
export type NotHidden = (steps: RestoreStep[]) => RestoreStep[];

class HiddenFiles extends Error {
  constructor(readonly steps: readonly RestoreStep[]) {
    super('Files are in the way that no snapshot has');
  }
}

/**
 * Where a file is to come back and one lies there that is ignored now, and was not then, no snapshot has it: `work` is given up, and done
 * again with what lies there among what is taken `also`. At first that is `unusual`.
 */
export function withHidden<T>(fileSystem: FileSystem, unusual: Files, work: (also: Files, notHidden: NotHidden) => T): T {
  const notHidden: NotHidden = (steps) => {
    const hidden = steps.filter(
      ({ from, root, path: relative }) => from === null && isFile(fileSystem, path.join(root, relative)),
    );
    if (hidden.length > 0) throw new HiddenFiles(hidden);
    return steps;
  };
  try {
    return work(unusual, notHidden);
  } catch (error) {
    if (!(error instanceof HiddenFiles)) throw error;
    const also: Files = new Map([...unusual].map(([root, files]) => [root, new Map(files)]));
    for (const { rootId, path: relative, to } of error.steps) {
      if (to !== null) also.get(rootId)?.set(relative, { ...to, flags: fileFlags.kept });
    }
    return work(also, (steps) => steps);
  }
}

function isFile(fileSystem: FileSystem, file: string): boolean {
  try {
    const stats = fileSystem.lstat(file);
    return stats !== undefined && (stats.isFile() || stats.isSymbolicLink());
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}
