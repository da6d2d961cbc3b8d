import { LeftOutFolders } from './leftOutFolders';
import type { ManifestReader } from './manifestReader';
import { plain } from '../scan/scannedFile';
import { isNameOnly, isSameContent, takenState, type FileState } from '../scan/scannedFile';
import type { Original, StagedFiles } from './stagedFiles';

export interface FileChange {
  /** Absolute path of the workspace folder. */
  root: string;
  /** Path relative to the workspace folder, with `/`. */
  path: string;
  status: 'added' | 'modified' | 'deleted';
  before: FileState | null;
  after: FileState | null;
}

interface Side {
  manifestId: number;
  /** Id of a checkpoint; null for the current workspace. */
  checkpointId: string | null;
}

/** Compares two states of the workspace. For an ignored file, uses its content before the agent first touched it. */
export class Comparison {
  constructor(
    private readonly manifests: ManifestReader,
    private readonly staged: StagedFiles,
  ) {}

  /**
   * Lists the changes, sorted by path. Skips folders that only one side covers.
   * Skips files that one side excluded, because it is unknown whether they changed.
   */
  between(from: Side, to: Side): FileChange[] {
    const roots = this.manifests.rootPaths();
    const before = this.lookup(from, to);
    const after = this.lookup(to, from);
    const compared = this.manifests.compared(from.manifestId, to.manifestId);
    const held = new Map(compared.roots.map((root) => [root, new Map<string, [FileState | null, FileState | null] | null>()]));
    for (const { root, path } of [...before.originals, ...after.originals]) held.get(root)?.set(path, null);
    for (const [root, path, old, now] of compared.differences) held.get(root)?.set(path, [old, now]);
    const changes: FileChange[] = [];
    for (const [root, inRoot] of held) {
      for (const [relative, states] of inRoot) {
        const old = before.find(root, relative, states?.[0]);
        const now = after.find(root, relative, states?.[1]);
        if (isNameOnly(old) || isNameOnly(now) || (old === null && before.mayHaveHeld(root, relative))) continue;
        if (isSameContent(old, now)) continue;
        const status = old === null ? 'added' : now === null ? 'deleted' : 'modified';
        changes.push({ root: roots.get(root) ?? '', path: relative, status, before: plain(old), after: plain(now) });
      }
    }
    return changes.sort((one, other) => (one.root + one.path < other.root + other.path ? -1 : 1));
  }

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
      /** Finds the state of a file. `held` is its state in the manifest, if it was already read. */
      find: (root: number, path: string, held: FileState | null = find(root, path)) => {
        return takenState(held) ?? known.get(`${root}:${path}`) ?? held;
      },
      mayHaveHeld: (root: number, path: string) => !known.has(`${root}:${path}`) && folders.holds(root, path),
    };
  }
}
