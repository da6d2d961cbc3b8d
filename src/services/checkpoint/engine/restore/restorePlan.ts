import path from 'node:path';
import { isBelow } from '../../../../utils/files/isInside';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { isImported } from '../importedCheckpoints';
import { LeftOutFolders } from '../manifests/leftOutFolders';
import { changesBetween, type Changes, type Files } from '../manifests/manifestReader';
import type { ManifestStore } from '../manifests/manifestStore';
import { isNameOnly, isSameContent, plain, takenState, type FileState } from '../scan/scannedFile';
import type { SeenFile } from '../scan/seen';
import type { Scanned, Snapshot } from '../manifests/snapshotTaker';
import type { FirstTouch, Original, StagedFiles } from '../manifests/stagedFiles';
import { isIntact } from '../objects/objectDamage';
import { withDependents } from './dependentSteps';
import { MovedLeftOut } from './movedLeftOut';
import { applyOriginals } from './originalStates';
import { OtherChatStates } from './otherChats';
import { SessionStates } from './sessionStates';
import { withLosses } from './stepLosses';
import type { RestoreStep } from './restoreStep';

export interface RestoreOptions {
  /** Absolute paths to restore. Default: all. */
  files?: readonly string[] | undefined;
  /** Absolute paths of the conflicts to overwrite, or `all`. */
  overwrite?: readonly string[] | 'all' | undefined;
  /** Absolute paths with unsaved changes. */
  unsaved?: readonly string[] | undefined;
}

/** State to restore. */
export interface PlanTarget {
  checkpointId: string;
  manifestId: number;
  /** Ignored files as they were before the first touch. */
  originals: readonly Original[];
  /** Files that are staged, stored although ignored, or unreadable. */
  unusual: Files;
  /** True for an imported checkpoint. The state of files that it does not contain is unknown. */
  isPartial: boolean;
  /** Returns true if a file may have existed but was excluded by the rules at that time. */
  mayHaveHeld: (root: number, path: string) => boolean;
  /** Time when the checkpoint was taken, in milliseconds. */
  takenAt: number;
  /** True if the checkpoint has the names of excluded files. */
  hasNames: boolean;
  /** Returns true if the file did not exist in the target. Requires `hasNames`. */
  wasAbsent: (root: number, path: string) => boolean;
  /** For a target without names: returns true if the file first appears in the first manifest with names. */
  cameWithNames: (root: number, path: string) => boolean;
}

/** Plans the steps of a restore. */
export class RestorePlanner {
  constructor(
    private readonly database: DatabaseSync,
    private readonly manifests: ManifestStore,
    private readonly staged: StagedFiles,
    private readonly fileSystem: FileSystem,
  ) {}

  /** Returns the target state of a restore to the checkpoint. Throws `SnapshotError` `notFound`. */
  target(checkpointId: string, manifestId: number): PlanTarget {
    const unusual = this.manifests.unusual(manifestId);
    const find = this.manifests.lookup(manifestId);
    const originals = this.staged.originals(checkpointId, find);
    for (const { root, path: relative, state } of originals) if (state !== null) unusual.get(root)?.set(relative, state);
    const folders = new LeftOutFolders(find);
    const wasHeldBefore = this.heldBetween(checkpointId);
    const touches = new Map(originals.map((one) => [`${one.root}:${one.path}`, one]));
    const mayHaveHeld = (root: number, relative: string) => {
      const touch = touches.get(`${root}:${relative}`);
      if (touch === undefined) return isNameOnly(find(root, relative)) || folders.holds(root, relative);
      return touch.state === null && folders.holds(root, relative) && wasHeldBefore(touch);
    };
    const row = this.database.prepare('SELECT created_at AS time FROM checkpoints WHERE id = ?').get(checkpointId);
    return {
      checkpointId,
      manifestId,
      originals,
      unusual,
      isPartial: isImported(this.database, checkpointId),
      mayHaveHeld,
      takenAt: Number(row?.time ?? 0),
      hasNames: this.manifests.hasNames(manifestId),
      wasAbsent: (root, relative) => find(root, relative) === null && !folders.holds(root, relative),
      cameWithNames: this.cameWithNames(manifestId),
    };
  }

  /** Returns the hashes of contents that the restore reads, replaces or deletes. */
  needed({ parent, changes, files: now }: Scanned, target: PlanTarget, options: RestoreOptions): Set<string> {
    const then = parent === null ? null : this.manifests.changes(parent, target.manifestId);
    const wanted = then ?? changesBetween(now, this.manifests.load(target.manifestId).files);
    for (const { root, path: relative, state } of target.originals) wanted.get(root)?.set(relative, state);
    const roots = this.manifests.rootPaths();
    const files = toSet(options.files);
    const hashes = new Set<string>();
    for (const [rootId, inRoot] of wanted) {
      const current = now.get(rootId);
      const changed = [...(changes.get(rootId)?.keys() ?? [])].filter((relative) => !inRoot.has(relative));
      const held = this.manifests.states(target.manifestId, rootId, changed);
      for (const relative of [...inRoot.keys(), ...changed]) {
        const to = inRoot.get(relative) ?? held.get(relative) ?? null;
        const from = current?.get(relative) ?? null;
        if (isSameContent(from, to) || (files && !files.has(path.join(roots.get(rootId) ?? '', relative)))) continue;
        for (const state of [from, to]) if (state !== null && state.hash !== null) hashes.add(state.hash);
      }
    }
    return hashes;
  }

  /** Plans the steps from `now` to the target, sorted by path. Skips folders that only one side covers. */
  plan(sessionId: string, { manifestId, files: there }: Snapshot, target: PlanTarget, options: RestoreOptions): RestoreStep[] {
    const changes = this.manifests.changes(manifestId, target.manifestId);
    const unchanged = applyOriginals(changes, there, target);
    const roots = this.manifests.rootPaths();
    const contents = this.checkContents(changes, there);
    const stored = (hash: string) => contents.get(hash) === 'intact';
    const own = new SessionStates(this.database, this.manifests, sessionId, { target: target.checkpointId });
    const others = new OtherChatStates(this.database, sessionId);
    const moved = new MovedLeftOut(this.manifests, this.fileSystem, target);
    const files = toSet(options.files);
    const unsaved = toSet(options.unsaved);
    const overwrite = options.overwrite === 'all' ? 'all' : toSet(options.overwrite);
    const steps: RestoreStep[] = [];
    for (const [rootId, inRoot] of changes) {
      const root = roots.get(rootId);
      const current = there.get(rootId);
      if (root === undefined || current === undefined) continue;
      for (const [relative, then] of inRoot) {
        const absolute = path.join(root, relative);
        const from = takenState(current.get(relative));
        const to = takenState(then);
        if (to === null && target.isPartial) continue;
        if (files !== undefined && !files.has(absolute)) continue;
        if (isSameContent(from, to)) continue;
        const step = { rootId, root, path: relative, from: plain(from), to: plain(to) };
        const action = from === null ? 'create' : to === null ? 'delete' : 'write';
        const isDamaged = contents.get(to?.hash ?? '') === 'damaged';
        if (from !== null && to === null && this.mayHaveBeenThere(rootId, relative, absolute, target)) {
          if (!isUnchangedSince(from, target.takenAt)) steps.push({ ...step, action: 'keep', reason: 'leftOut' });
        } else if (!isStored(to, stored)) steps.push({ ...step, action: 'keep', reason: isDamaged ? 'damaged' : 'notStored' });
        else if (!isStored(from, stored) || isInUnknown(relative, current) || isInUnknown(relative, target.unusual.get(rootId))) {
          steps.push({ ...step, action: 'keep', reason: 'notSaved' });
        } else {
          const foreign = own.foreignStates(rootId, relative, root, step);
          const isOwn = foreign.length === 0;
          const isNew = isOwn && from !== null && to === null;
          const isByCommand = isOwn && from !== null && !own.isByTool(relative, root, from);
          const mayBeCopy = isNew && isByCommand && own.hasLostLeftOut;
          const isMoved =
            (isNew && moved.mayBe(absolute, from)) ||
            (mayBeCopy && moved.mayBeCopy(rootId, relative, absolute, from)) ||
            (isByCommand && moved.mayBeLost(absolute, from, own.lossWith(rootId, relative, from)));
          const reason = unsaved?.has(absolute) ? 'unsaved' : !isOwn ? 'changedSince' : isMoved ? 'leftOut' : null;
          const isForced = overwrite === 'all' || (overwrite?.has(absolute) ?? false);
          const isByHand =
            reason === 'unsaved' || (reason === 'changedSince' && foreign.some((state) => !others.has(root, relative, state)));
          if (reason === null || isForced) steps.push({ ...step, action, reason: null });
          else steps.push({ ...step, action: 'conflict', reason, ...(isByHand && { isByHand }) });
        }
      }
    }
    for (const { root: rootId, path: relative, state } of unchanged) {
      const root = roots.get(rootId);
      if (root === undefined || (files !== undefined && !files.has(path.join(root, relative)))) continue;
      steps.push({ rootId, root, path: relative, from: plain(state), to: null, action: 'keep', reason: 'leftOut' });
    }
    for (const step of this.unsavedOnly(target, there, unsaved ?? new Set())) {
      const absolute = path.join(step.root, step.path);
      const isForced = overwrite === 'all' || (overwrite?.has(absolute) ?? false);
      if (!isForced && (files === undefined || files.has(absolute)) && !steps.some((one) => isSameFile(one, step)))
        steps.push(step);
    }
    return withDependents(this.fileSystem, withLosses(this.fileSystem, steps)).sort((one, other) =>
      one.root + one.path < other.root + other.path ? -1 : 1,
    );
  }

  /** Returns the storage state of changed files' contents, by hash. */
  private checkContents(changes: Changes, there: Files): Map<string, 'intact' | 'damaged' | 'missing'> {
    const hashes = new Set<string>();
    for (const [rootId, inRoot] of changes) {
      const current = there.get(rootId);
      for (const [relative, then] of inRoot)
        for (const state of [then, current?.get(relative)]) if (state?.hash != null) hashes.add(state.hash);
    }
    const rows = this.database
      .prepare(
        `SELECT hash, iif(damaged_at IS NOT NULL, 'damaged', iif(${isIntact}, 'intact', 'missing')) AS state FROM snapshot_objects
         WHERE hash IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify([...hashes]));
    return new Map(rows.map(({ hash, state }) => [String(hash), state as 'intact' | 'damaged' | 'missing']));
  }

  /**
   * Returns a function that checks whether a checkpoint between the target and a file's first touch contains the file. If so, the
   * file was deleted before that touch, and its creation time is unknown.
   */
  private heldBetween(target: string): (touch: FirstTouch) => boolean {
    let later: { checkpoint: string; find: ReturnType<ManifestStore['lookup']> }[] | null = null;
    return ({ root, path: relative, checkpointId }) => {
      later ??= this.database
        .prepare(
          'SELECT min(id) AS checkpoint, manifest_id AS id FROM checkpoints WHERE id > ? AND manifest_id IS NOT NULL GROUP BY manifest_id',
        )
        .all(target)
        .map(({ checkpoint, id }) => ({ checkpoint: String(checkpoint), find: this.manifests.lookup(Number(id)) }));
      return later.some(({ checkpoint, find }) => checkpoint <= checkpointId && takenState(find(root, relative)) !== null);
    };
  }

  /**
   * Returns true if a file that is not in the target may have existed when the target was
   * taken. Targets from old versions do not contain the names of excluded files. For
   * these targets, a file may have existed if it was created before the target was taken.
   */
  private mayHaveBeenThere(rootId: number, relative: string, absolute: string, target: PlanTarget): boolean {
    if (target.mayHaveHeld(rootId, relative)) return true;
    if (target.hasNames) return false;
    const born = this.fileSystem.lstat(absolute)?.birthtimeMs;
    return (born !== undefined && born < target.takenAt) || target.cameWithNames(rootId, relative);
  }

  /**
   * Returns a function that checks whether a path first appears in the first manifest with names. A file that was rewritten later
   * may look newer than it is.
   */
  private cameWithNames(manifestId: number): (root: number, path: string) => boolean {
    const { manifests } = this;
    const known = new Map<number, (path: string) => boolean>();
    const inRoot = (root: number): ((path: string) => boolean) => {
      const boundary = manifests.namesBoundary(manifestId, root);
      if (boundary === null) return () => false;
      const before = manifests.lookup(boundary.without);
      const first = manifests.lookup(boundary.first);
      const folders = new LeftOutFolders(first);
      return (relative) => before(root, relative) === null && (first(root, relative) !== null || folders.holds(root, relative));
    };
    return (root, relative) => {
      if (!known.has(root)) known.set(root, inRoot(root));
      return known.get(root)?.(relative) ?? false;
    };
  }

  /** Lists files that match the target on disk but have unsaved changes. */
  private unsavedOnly(target: PlanTarget, now: Files, unsaved: ReadonlySet<string>): RestoreStep[] {
    const roots = [...this.manifests.rootPaths()].filter(([rootId]) => now.has(rootId));
    const find = this.manifests.lookup(target.manifestId);
    return [...unsaved].flatMap((file) =>
      roots.flatMap(([rootId, root]): RestoreStep[] => {
        if (!isBelow(file, root)) return [];
        const relative = path.relative(root, file).split(path.sep).join('/');
        const from = takenState(now.get(rootId)?.get(relative));
        const to = takenState(target.unusual.get(rootId)?.get(relative) ?? find(rootId, relative));
        if (from === null || to === null) return [];
        const step = { rootId, root, path: relative, from: plain(from), to: plain(to) };
        return [{ ...step, action: 'conflict', reason: 'unsaved', isByHand: true }];
      }),
    );
  }
}

function isSameFile(one: RestoreStep, other: RestoreStep): boolean {
  return one.rootId === other.rootId && one.path === other.path;
}

function isStored(state: FileState | null, stored: (hash: string) => boolean): boolean {
  return state === null || (state.kind !== 3 && state.hash !== null && stored(state.hash));
}

/** Returns true if the file has not changed after `time`. */
function isUnchangedSince(state: FileState & Partial<Pick<SeenFile, 'stamp'>>, time: number): boolean {
  return state.stamp !== undefined && state.stamp.ctimeMs < time;
}

/** Returns true if one of the file's parent folders could not be listed. */
function isInUnknown(relative: string, files: ReadonlyMap<string, FileState> | undefined): boolean {
  for (let slash = relative.lastIndexOf('/'); slash > 0; slash = relative.lastIndexOf('/', slash - 1)) {
    if (takenState(files?.get(relative.slice(0, slash)))?.kind === 3) return true;
  }
  return false;
}

function toSet(paths: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return paths && new Set(paths.map((one) => path.resolve(one)));
}
