/** A file as a model sees it: its mode and content, or where a link leads. */
export type ModelFile = string;
export type ModelTree = ReadonlyMap<string, ModelFile>;

interface Snapshot {
  id: string;
  tree: ModelTree;
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

  checkpoint(id: string, tree = this.snapshot()): void {
    this.checkpoints.push({ id, tree });
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

  /** Keeps what the workspace holds before, as a checkpoint. Returns the paths that were changed, and those that are left as conflicts. */
  restore(target: string, beforeId: string, { files, overwrite }: ModelChoice): { done: string[]; left: string[] } {
    const then = new Map(this.checkpoints.find(({ id }) => id === target)?.tree);
    for (const path of new Set(this.touches.map((touch) => touch.path))) {
      const since = this.touches
        .filter((touch) => touch.path === path && touch.id >= target)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      const first = since[0]?.before;
      if (first !== undefined && !then.has(path)) then.set(path, first);
    }
    // What is about to be overwritten is kept, whoever made it.
    for (const path of then.keys()) if (this.isIgnored(path)) this.staged.add(path);
    const before = this.snapshot();
    this.checkpoint(beforeId, before);
    const [done, left]: [string[], string[]] = [[], []];
    for (const path of new Set([...before.keys(), ...then.keys()])) {
      if (before.get(path) === then.get(path) || (files && !files.has(path))) continue;
      if (this.isIgnored(path)) this.touch(beforeId, path, before.get(path));
      if (overwrite !== 'all' && !overwrite?.has(path) && !this.isOwn(path, before.get(path))) {
        left.push(path);
        continue;
      }
      done.push(path);
      const state = then.get(path);
      if (state === undefined) this.disk.delete(path);
      else this.disk.set(path, state);
    }
    return { done, left };
  }

  /** Whether the session has left the file like this, or has left none. */
  private isOwn(path: string, state: ModelFile | undefined): boolean {
    const fileIn = (id: string) => this.checkpoints.find((one) => one.id === id)?.tree.get(path);
    return this.pairs.some(([before, after]) => fileIn(before) !== fileIn(after) && fileIn(after) === state);
  }

  private touch(id: string, path: string, before: ModelFile | undefined): void {
    this.staged.add(path);
    if (!this.touches.some((one) => one.id === id && one.path === path)) this.touches.push({ id, path, before });
  }
}
