/** File in the model: its mode and content, or its link target. */
export type ModelFile = string;
export type ModelTree = ReadonlyMap<string, ModelFile>;

interface Snapshot {
  id: string;
  tree: ModelTree;
  /** Existing ignored names whose content is not in the snapshot. */
  leftOut: readonly string[];
}

/** Two checkpoints around a change by the session, which is a command or a restore. */
interface Pair {
  before: string;
  after: string;
  restored?: { target: string; isUndo: boolean };
}

/** State of the disk before a restore. */
export interface ModelLook {
  /** Existing ignored names. */
  ignored: readonly string[];
  isThere(name: string): boolean;
  /** Returns true if a file was created before the target checkpoint. A rename keeps the creation time. */
  isOlder(path: string): boolean;
  /** Returns true if the file's times are older than the target checkpoint. */
  isUnchanged(path: string): boolean;
}

/** The user's choice. By default, everything except conflicts is restored. */
export interface ModelChoice {
  /** Files to restore. All others stay as they are. */
  files?: ReadonlySet<string> | undefined;
  /** Conflicts to overwrite. */
  overwrite?: ReadonlySet<string> | 'all';
}

/** In-memory model of the store and the workspace, as simple as possible. */
export class WorkspaceModel {
  disk = new Map<string, ModelFile>();
  /** Paths of pipes and sockets. No checkpoint contains them and no restore changes them. */
  readonly specials = new Set<string>();
  readonly checkpoints: Snapshot[] = [];
  private kept = new Set<string>();
  private staged = new Set<string>();
  /** States of ignored files before they were first touched, with the last checkpoint at that time. */
  private readonly touches: { id: string; path: string; before: ModelFile | undefined }[] = [];

  /** Checkpoints around the session's commands and restores, oldest first. */
  private pairs: Pair[] = [];

  constructor(readonly isIgnored: (path: string) => boolean) {}

  stage(path: string): void {
    const id = this.checkpoints.at(-1)?.id;
    if (id === undefined || !this.isIgnored(path)) return;
    this.touch(id, path, this.disk.get(path));
  }

  /** Returns the content of a checkpoint taken now. */
  snapshot(): ModelTree {
    const taken = [...this.disk].filter(([path]) => !this.isIgnored(path) || this.kept.has(path) || this.staged.has(path));
    this.staged.clear();
    this.kept = new Set(taken.map(([path]) => path).filter(this.isIgnored));
    return new Map(taken);
  }

  checkpoint(id: string, ignored: readonly string[], tree = this.snapshot()): void {
    this.checkpoints.push({ id, tree, leftOut: ignored.filter((name) => !tree.has(name)) });
  }

  /** Attributes the differences between two checkpoints to a restore of the session. */
  pairOfRestore(before: string, after: string, restored: { target: string; isUndo: boolean }): void {
    this.pairs.push({ before, after, restored });
  }

  /** Attributes the differences between two checkpoints to a command of the session. */
  pairOfCommand(before: string, after: string): void {
    this.pairs.push({ before, after });
  }

  /** Removes a checkpoint. The previous checkpoint inherits its data about ignored files. */
  remove(id: string, parent: string | undefined): void {
    this.pairs = this.pairs.filter(({ before, after }) => before !== id && after !== id);
    const index = this.checkpoints.findIndex((one) => one.id === id);
    if (index >= 0) this.checkpoints.splice(index, 1);
    for (const touch of this.touches.filter((one) => one.id === id)) {
      this.touches.splice(this.touches.indexOf(touch), 1);
      if (parent !== undefined && !this.touches.some((one) => one.id === parent && one.path === touch.path)) {
        this.touches.push({ ...touch, id: parent });
      }
    }
  }

  /** Takes a checkpoint, then restores. Returns the changed paths, the skipped paths with possible reasons, and the blocked paths. */
  restore(
    target: string,
    beforeId: string,
    { files, overwrite }: ModelChoice,
    look: ModelLook,
  ): { done: string[]; left: Map<string, Set<LeftReason>>; failed: string[] } {
    const goal = this.checkpoints.find(({ id }) => id === target);
    const tree: ModelTree = goal?.tree ?? new Map<string, ModelFile>();
    const isLeftOut = (name: string) => goal?.leftOut.includes(name) ?? false;
    const then = new Map(tree);
    for (const path of new Set(this.touches.map((touch) => touch.path))) {
      const since = this.touches
        .filter((touch) => touch.path === path && touch.id >= target)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      const first = since[0]?.before;
      // The file was created and touched after the target, then deleted.
      if (!this.disk.has(path) && ![path, ...foldersAbove(path)].some((one) => tree.has(one) || isLeftOut(one))) continue;
      if (first !== undefined && !isTaken(tree, path) && ![...tree.keys()].some((other) => other.startsWith(`${path}/`)))
        then.set(path, first);
    }
    // Keeps files that will be overwritten, and files that block the folder of a chosen file.
    for (const path of then.keys()) {
      if (this.isIgnored(path)) this.staged.add(path);
      if (!this.disk.has(path) && (files?.has(path) ?? true))
        for (const folder of foldersAbove(path)) if (this.isIgnored(folder)) this.staged.add(folder);
    }
    const before = this.snapshot();
    this.checkpoint(beforeId, look.ignored, before);
    const isAnyGone = goal?.leftOut.some((name) => !look.isThere(name)) ?? false;
    const contents = new Set([...tree.values()].map(contentOf));
    const done: string[] = [];
    const left = new Map<string, Set<LeftReason>>();
    const failed: string[] = [];
    const paths = [...new Set([...before.keys(), ...then.keys()])].filter(
      (path) => before.get(path) !== then.get(path) && (files?.has(path) ?? true),
    );
    // The earlier content of a left-out file is unknown.
    const isUnknown = (path: string) =>
      !then.has(path) && (isLeftOut(path) || (!this.isIgnored(path) && foldersAbove(path).some(isLeftOut)));
    const told = paths.filter((path) => !isUnknown(path) || !look.isUnchanged(path));
    for (const path of paths) if (this.isIgnored(path)) this.touch(beforeId, path, before.get(path));
    const known = new Set([...tree.keys(), ...(goal?.leftOut ?? [])].flatMap(foldersAbove));
    const isInNewFolder = (path: string) => path.includes('/') && !known.has(path.slice(0, path.lastIndexOf('/')));
    const hasLostLeftOut = this.hasLostLeftOut();
    // A later file may be a left-out file under another name. Either it was
    // renamed, or one command copied it and another deleted the original.
    const isMoved = (path: string) =>
      isAnyGone &&
      !then.has(path) &&
      (look.isOlder(path) || (hasLostLeftOut && isInNewFolder(path))) &&
      !contents.has(contentOf(before.get(path) ?? ''));
    const reasonOf = (path: string): LeftReason | undefined => {
      if (isUnknown(path)) return 'leftOut';
      if (overwrite === 'all' || overwrite?.has(path)) return undefined;
      if (!this.isOwn(path, target, before.get(path))) return 'changedSince';
      if (this.isOnForeign(path, target, before.get(path), then.get(path))) return 'changedSince';
      return isMoved(path) ? 'leftOut' : undefined;
    };
    const staying = told.filter((path) => before.has(path) && reasonOf(path) !== undefined);
    for (const path of told) {
      if (then.has(path) && [path, ...foldersAbove(path)].some((one) => this.specials.has(one))) {
        left.set(path, new Set(['notAFile']));
        continue;
      }
      // If a remaining file blocks a path, the path is skipped for the same reason.
      const obstacles = then.has(path) ? staying.filter((other) => isInWay(other, path)) : [];
      const reasons = (obstacles.length > 0 ? obstacles : [path]).flatMap((one) => reasonOf(one) ?? []);
      if (reasons.length > 0) left.set(path, new Set(reasons));
      else done.push(path);
    }
    for (const path of done) if (!then.has(path)) this.disk.delete(path);
    for (const path of done) {
      const state = then.get(path);
      if (state === undefined) continue;
      // The path is blocked by a file that was not chosen, or by an ignored file in a folder.
      if ([...this.disk.keys(), ...this.specials].some((other) => isInWay(other, path))) failed.push(path);
      else this.disk.set(path, state);
    }
    return { done: done.filter((path) => !failed.includes(path)), left, failed };
  }

  /**
   * Returns true if the session left the file in this state, or deleted it. An undo, or a restore of a checkpoint after the target, may
   * have restored the user's files. Such a change counts only if the target is the checkpoint before it.
   */
  private isOwn(path: string, target: string, state: ModelFile | undefined): boolean {
    const own = new Set<ModelFile | undefined>();
    for (const { before, after, restored } of this.pairs) {
      const mayBeByHand = restored !== undefined && before !== target && (restored.isUndo || restored.target > target);
      const left = this.fileIn(after, path);
      if (!mayBeByHand && this.fileIn(before, path) !== left) own.add(left);
    }
    return own.has(state);
  }

  /** Returns true if commands after the target made this state from a state that is neither the session's nor the target's. */
  private isOnForeign(path: string, target: string, state: ModelFile | undefined, goal: ModelFile | undefined): boolean {
    const bytes = (file: ModelFile | undefined) => file && contentOf(file);
    const later = this.pairs.filter(({ before, restored }) => restored === undefined && before >= target);
    const reached = new Set([bytes(state)]);
    for (const content of reached) {
      for (const { before, after } of later) {
        const from = this.fileIn(before, path);
        if (
          from === undefined ||
          bytes(this.fileIn(after, path)) !== content ||
          reached.has(bytes(from)) ||
          bytes(from) === bytes(goal)
        )
          continue;
        reached.add(bytes(from));
        if (!this.isOwn(path, target, from)) return true;
      }
    }
    return false;
  }

  /** Returns true if a left-out file disappeared while the session worked. */
  private hasLostLeftOut(): boolean {
    const at = (id: string) => this.checkpoints.find((one) => one.id === id);
    return this.pairs.some(({ before, after }) => {
      const then = at(after);
      return then !== undefined && at(before)?.leftOut.some((name) => !then.leftOut.includes(name) && !then.tree.has(name));
    });
  }

  private fileIn(id: string, path: string): ModelFile | undefined {
    return this.checkpoints.find((one) => one.id === id)?.tree.get(path);
  }

  private touch(id: string, path: string, before: ModelFile | undefined): void {
    this.staged.add(path);
    if (!this.touches.some((one) => one.id === id && one.path === path)) this.touches.push({ id, path, before });
  }
}

/** Reason why a file is skipped. */
export type LeftReason = 'changedSince' | 'leftOut' | 'notAFile';

function contentOf(file: ModelFile): string {
  return file.slice(file.indexOf(' ') + 1);
}

export function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Returns true if one path is a parent of the other. */
export function isInWay(one: string, other: string): boolean {
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function isTaken(tree: ModelTree, path: string): boolean {
  return tree.has(path) || foldersAbove(path).some((folder) => tree.has(folder));
}
