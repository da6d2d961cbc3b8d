import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { Files } from '../manifests/manifestReader';
import { fileFlags, type FileState } from '../scan/scannedFile';
import type { RestoreStep } from './restoreStep';
import { lookAt, wayTo } from './way';
import { isSystemError } from '../../../../utils/errors';

/** Adds to what is taken although it is ignored the files of some steps. */
export function withFilesOf(steps: readonly RestoreStep[], unusual: Files): Files {
  const also: Files = new Map([...unusual].map(([root, files]) => [root, new Map(files)]));
  for (const { rootId, path: relative, from, to } of steps) {
    const state = to ?? from;
    if (state === null) continue;
    if (!also.has(rootId)) also.set(rootId, new Map());
    also.get(rootId)?.set(relative, { ...state, flags: fileFlags.kept });
  }
  return also;
}

/** Gives back the steps; what it throws is for `withHidden`. */
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
 * Runs `work`, which passes its steps to `notHidden`. If a file is to come back where an ignored one lies that was not ignored then, or a
 * file or link lies where a folder was, no snapshot has it: `work` is given up and run again with these files among those taken `also`,
 * which are at first `unusual`.
 */
export function withHidden<T>(fileSystem: FileSystem, unusual: Files, work: (also: Files, notHidden: NotHidden) => T): T {
  const notHidden: NotHidden = (steps) => {
    const known = new Set(steps.flatMap(({ root, path: relative, from }) => (from === null ? [] : [path.join(root, relative)])));
    const hidden = steps.flatMap((step): HiddenFile[] => {
      if (step.to === null || step.from !== null) return [];
      const place = inTheWay(fileSystem, step.root, path.join(step.root, step.path));
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

/** Gives the file or link that lies at a path, or where a folder on the way to it should be; null where none does. */
function inTheWay(fileSystem: FileSystem, root: string, file: string): string | null {
  try {
    const way = wayTo(fileSystem, root, file);
    if (way === 'missing') return null;
    const place = way === 'clear' ? file : way.at;
    const found = place === root ? undefined : lookAt(fileSystem, place);
    return found !== undefined && (found.isFile() || found.isSymbolicLink()) ? place : null;
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}
