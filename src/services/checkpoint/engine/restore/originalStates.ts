import type { Changes, Files } from '../manifests/manifestReader';
import type { Original } from '../manifests/stagedFiles';
import { isSameContent, takenState, type FileState } from '../scan/scannedFile';

interface Target {
  originals: readonly Original[];
  hasNames: boolean;
  /** Returns true if the file did not exist in the target. Requires `hasNames`. */
  wasAbsent: (root: number, path: string) => boolean;
}

/**
 * Replaces the changes to ignored files that a tool touched, so that each file gets its state from before the first touch.
 * Returns the files that already have this state but did not exist in the target.
 */
export function applyOriginals(changes: Changes, there: Files, target: Target): Original[] {
  const unchanged: Original[] = [];
  for (const original of target.originals) {
    const { root, path: relative, state } = original;
    if (state === null || hasOtherKind(relative, there.get(root), changes.get(root))) continue;
    const isNew = target.hasNames && target.wasAbsent(root, relative);
    // The file was created and touched after the target, and then deleted.
    if (!there.get(root)?.has(relative) && isNew) continue;
    if (isSameContent(takenState(there.get(root)?.get(relative)), state)) {
      changes.get(root)?.delete(relative);
      if (isNew) unchanged.push(original);
    } else changes.get(root)?.set(relative, state);
  }
  return unchanged;
}

/**
 * Returns true if the target has a folder in place of the file, or a file in place
 * of one of its folders. In this case, the restore uses the state of the target.
 */
function hasOtherKind(
  relative: string,
  now: ReadonlyMap<string, FileState> | undefined,
  changes: ReadonlyMap<string, FileState | null> | undefined,
): boolean {
  const isThen = (path: string) => takenState(changes?.has(path) ? changes.get(path) : now?.get(path)) !== null;
  for (let slash = relative.lastIndexOf('/'); slash > 0; slash = relative.lastIndexOf('/', slash - 1)) {
    if (isThen(relative.slice(0, slash))) return true;
  }
  const isInside = (path: string) => path.startsWith(`${relative}/`) && isThen(path);
  return [...(changes?.keys() ?? [])].some(isInside) || [...(now?.keys() ?? [])].some(isInside);
}
