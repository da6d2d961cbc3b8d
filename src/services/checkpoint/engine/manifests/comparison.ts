import { LeftOutFolders } from './leftOutFolders';
import type { ManifestReader } from './manifestReader';
import { plain } from '../scan/scannedFile';
import { isNameOnly, isSameContent, takenOf, type FileState } from '../scan/scannedFile';
import type { Original, StagedFiles } from './stagedFiles';

/** A file that differs between two states. */
export interface FileChange {
  /** Absolute path of the workspace folder. */
  root: string;
  /** Path from the workspace folder, with `/`. */
  path: string;
  status: 'added' | 'modified' | 'deleted';
  before: FileState | null;
  after: FileState | null;
}

interface Side {
  manifestId: number;
  /** Null: the workspace as it is now. */
  checkpointId: string | null;
}

/** Compares moments of the workspace; ignored files are what they were before the agent touched them. */
export class Comparison {
  constructor(
    private readonly manifests: ManifestReader,
    private readonly staged: StagedFiles,
  ) {}

  /**
   * Lists the changes in the order of the paths. A folder that only one side covers has none, and neither has what one side left out: it
   * is
   * not known whether that has changed.
   */
  between(from: Side, to: Side): FileChange[] {
    const roots = this.manifests.rootPaths();
    const [before, after] = [this.lookup(from, to), this.lookup(to, from)];
    const paths = [...this.manifests.changes(from.manifestId, to.manifestId)].map(([root, inRoot]) => {
      const originals = [...before.originals, ...after.originals].filter((one) => one.root === root);
      return { root, paths: new Set([...inRoot.keys(), ...originals.map((one) => one.path)]) };
    });
    const changes: FileChange[] = [];
    for (const { root, paths: inRoot } of paths) {
      for (const relative of inRoot) {
        const [old, now] = [before.find(root, relative), after.find(root, relative)];
        if (isNameOnly(old) || isNameOnly(now) || (old === null && before.mayHaveHeld(root, relative))) continue;
        if (isSameContent(old, now)) continue;
        const status = old === null ? 'added' : now === null ? 'deleted' : 'modified';
        changes.push({ root: roots.get(root) ?? '', path: relative, status, before: plain(old), after: plain(now) });
      }
    }
    return changes.sort((one, other) => (one.root + one.path < other.root + other.path ? -1 : 1));
  }

  /** Returns one file of a checkpoint. */
  at(checkpointId: string, manifestId: number, root: number, path: string): FileState | null {
    return this.lookup({ checkpointId, manifestId }, { checkpointId: null, manifestId }).find(root, path);
  }

  private lookup({ manifestId, checkpointId }: Side, other: Side) {
    const find = this.manifests.lookup(manifestId);
    const isEarlier = checkpointId !== null && (other.checkpointId === null || checkpointId < other.checkpointId);
    const originals: Original[] = isEarlier ? this.staged.originals(checkpointId, find, other.checkpointId) : [];
    const known = new Map(originals.map((one) => [`${one.root}:${one.path}`, one.state]));
    const folders = new LeftOutFolders(find);
    return {
      originals,
      find: (root: number, path: string) => {
        const held = find(root, path);
        return takenOf(held) ?? known.get(`${root}:${path}`) ?? held;
      },
      mayHaveHeld: (root: number, path: string) => !known.has(`${root}:${path}`) && folders.holds(root, path),
    };
  }
}
