/** A file as a model sees it: its mode and content, or where a link leads. */
export type ModelFile = string;
export type ModelTree = ReadonlyMap<string, ModelFile>;

interface Snapshot {
  id: string;
  tree: ModelTree;
  /** Ignored names that were there and whose content it does not hold. */
  leftOut: readonly string[];
}

/** What the disk tells before a restore. */
export interface ModelLook {
  /** Ignored names that are there. */
  ignored: readonly string[];
  isThere(name: string): boolean;
  /** Whether a file is older than the target: a rename keeps its time of birth. */
  isOlder(path: string): boolean;
  /** Whether nothing has touched it since, by its times. */
  isUnchanged(path: string): boolean;
}

/** What a person has decided: by default everything, but for what has changed since. */
export interface ModelChoice {
  /** Only these. */
  files?: ReadonlySet<string> | undefined;
  /** Conflicts that are replaced nevertheless. */
  overwrite?: ReadonlySet<string> | 'all';
}

/** What the store should hold and the workspace should look like, in plain memory and without cleverness. */
export class WorkspaceModel {
  disk = new Map<string, ModelFile>();
  /** Places of pipes and sockets, which no checkpoint holds and no restore touches. */
  readonly specials = new Set<string>();
  readonly checkpoints: Snapshot[] = [];
  private kept = new Set<string>();
  private staged = new Set<string>();
  /** Ignored files as they were before they were touched, with the checkpoint that was the last one then. */
  private readonly touches: { id: string; path: string; before: ModelFile | undefined }[] = [];

  /** Checkpoints around what the session itself did. */
  private pairs: [before: string, after: string][] = [];

  constructor(readonly isIgnored: (path: string) => boolean) {}

  stage(path: string): void {
    const id = this.checkpoints.at(-1)?.id;
    if (id === undefined || !this.isIgnored(path)) return;
    this.touch(id, path, this.disk.get(path));
  }

  /** What a checkpoint taken now holds. */
  snapshot(): ModelTree {
    const taken = [...this.disk].filter(([path]) => !this.isIgnored(path) || this.kept.has(path) || this.staged.has(path));
    this.staged.clear();
    this.kept = new Set(taken.map(([path]) => path).filter(this.isIgnored));
    return new Map(taken);
  }

  checkpoint(id: string, ignored: readonly string[], tree = this.snapshot()): void {
    this.checkpoints.push({ id, tree, leftOut: ignored.filter((name) => !tree.has(name)) });
  }

  /** What differs between the two is the session's own doing. */
  pair(before: string, after: string): void {
    this.pairs.push([before, after]);
  }

  /** Removes a checkpoint; the one before it inherits what it knows of ignored files. */
  remove(id: string, parent: string | undefined): void {
    this.pairs = this.pairs.filter((pair) => !pair.includes(id));
    const index = this.checkpoints.findIndex((one) => one.id === id);
    if (index >= 0) this.checkpoints.splice(index, 1);
    for (const touch of this.touches.filter((one) => one.id === id)) {
      this.touches.splice(this.touches.indexOf(touch), 1);
      if (parent !== undefined && !this.touches.some((one) => one.id === parent && one.path === touch.path)) {
        this.touches.push({ ...touch, id: parent });
      }
    }
  }

  /**
   * Keeps what the workspace holds before, as a checkpoint. Returns the paths that were changed, those that are left as conflicts, each with the
   * reasons that may be told, and those without room.
   */
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
      // It was made and touched after the target, and is gone.
      if (!this.disk.has(path) && ![path, ...foldersAbove(path)].some((one) => tree.has(one) || isLeftOut(one))) continue;
      if (first !== undefined && !isTaken(tree, path) && ![...tree.keys()].some((other) => other.startsWith(`${path}/`)))
        then.set(path, first);
    }
    // What is about to be overwritten is kept, whoever made it, and what is in the way of a folder of a file that was chosen.
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
    // In place of a name that was left out nobody knows what was there.
    const isUnknown = (path: string) =>
      !then.has(path) && (isLeftOut(path) || (!this.isIgnored(path) && foldersAbove(path).some(isLeftOut)));
    const told = paths.filter((path) => !isUnknown(path) || !look.isUnchanged(path));
    for (const path of paths) if (this.isIgnored(path)) this.touch(beforeId, path, before.get(path));
    const known = new Set([...tree.keys(), ...(goal?.leftOut ?? [])].flatMap(foldersAbove));
    const isInNewFolder = (path: string) => path.includes('/') && !known.has(path.slice(0, path.lastIndexOf('/')));
    const hasLostLeftOut = this.hasLostLeftOut();
    // A file that came since may be what the target left out, under another name: renamed, or copied by a command before another one
    // deleted the original.
    const isMoved = (path: string) =>
      isAnyGone &&
      !then.has(path) &&
      (look.isOlder(path) || (hasLostLeftOut && isInNewFolder(path))) &&
      !contents.has(contentOf(before.get(path) ?? ''));
    const reasonOf = (path: string): LeftReason | undefined => {
      if (isUnknown(path)) return 'leftOut';
      if (overwrite === 'all' || overwrite?.has(path)) return undefined;
      if (!this.isOwn(path, before.get(path))) return 'changedSince';
      return isMoved(path) ? 'leftOut' : undefined;
    };
    const staying = told.filter((path) => before.has(path) && reasonOf(path) !== undefined);
    for (const path of told) {
      if (then.has(path) && [path, ...foldersAbove(path)].some((one) => this.specials.has(one))) {
        left.set(path, new Set(['notAFile']));
        continue;
      }
      // What has no room because of what stays, stays too, for the same reason.
      const obstacles = then.has(path) ? staying.filter((other) => isInWay(other, path)) : [];
      const reasons = (obstacles.length > 0 ? obstacles : [path]).flatMap((one) => reasonOf(one) ?? []);
      if (reasons.length > 0) left.set(path, new Set(reasons));
      else done.push(path);
    }
    for (const path of done) if (!then.has(path)) this.disk.delete(path);
    for (const path of done) {
      const state = then.get(path);
      if (state === undefined) continue;
      // Of what nobody chose, or what is ignored in a folder.
      if ([...this.disk.keys(), ...this.specials].some((other) => isInWay(other, path))) failed.push(path);
      else this.disk.set(path, state);
    }
    return { done: done.filter((path) => !failed.includes(path)), left, failed };
  }

  /** Whether the session has left the file like this, or has left none. */
  private isOwn(path: string, state: ModelFile | undefined): boolean {
    const fileIn = (id: string) => this.checkpoints.find((one) => one.id === id)?.tree.get(path);
    return this.pairs.some(([before, after]) => fileIn(before) !== fileIn(after) && fileIn(after) === state);
  }

  /** Whether something that checkpoints leave out went while the session worked. */
  private hasLostLeftOut(): boolean {
    const at = (id: string) => this.checkpoints.find((one) => one.id === id);
    return this.pairs.some(([before, after]) => {
      const then = at(after);
      return then !== undefined && at(before)?.leftOut.some((name) => !then.leftOut.includes(name) && !then.tree.has(name));
    });
  }

  private touch(id: string, path: string, before: ModelFile | undefined): void {
    this.staged.add(path);
    if (!this.touches.some((one) => one.id === id && one.path === path)) this.touches.push({ id, path, before });
  }
}

/** Why a file stays. */
export type LeftReason = 'changedSince' | 'leftOut' | 'notAFile';

function contentOf(file: ModelFile): string {
  return file.slice(file.indexOf(' ') + 1);
}

export function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether a file at one path leaves no room for one at another. */
export function isInWay(one: string, other: string): boolean {
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function isTaken(tree: ModelTree, path: string): boolean {
  return tree.has(path) || foldersAbove(path).some((folder) => tree.has(folder));
}
