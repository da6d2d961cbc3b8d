import path from 'node:path';
import type { KeepReason } from '../../../protocol/restore';
import type { DatabaseSync } from '../../database/sqlite';
import { changesBetween, type Files, type ManifestStore } from '../manifestStore';
import { isImported } from '../importedCheckpoints';
import { isSameState, type FileKind, type FileState } from '../scan/scannedFile';

/** What is to happen to one file. */
export interface RestoreStep {
  rootId: number;
  /** Absolute path of the workspace folder. */
  root: string;
  /** From the workspace folder, with `/`. */
  path: string;
  /** `conflict`: left alone unless it is asked for. */
  action: 'create' | 'write' | 'delete' | 'keep' | 'conflict';
  /** Of `keep` and `conflict`. */
  reason: KeepReason | null;
  from: FileState | null;
  to: FileState | null;
}

export interface RestoreOptions {
  /** Only these, as absolute paths. */
  files?: readonly string[] | undefined;
  /** Conflicts that are to be overwritten, as absolute paths, or all of them. */
  overwrite?: readonly string[] | 'all' | undefined;
  /** Absolute paths of files that are open with unsaved changes. */
  unsaved?: readonly string[] | undefined;
}

/** Finds out what a restore has to do. */
export class RestorePlanner {
  constructor(
    private readonly database: DatabaseSync,
    private readonly manifests: ManifestStore,
  ) {}

  /** The steps from `now` to what the checkpoint holds, in the order of the paths. Folders that it does not cover are left alone. */
  plan(
    target: { sessionId: string; checkpointId: string; manifestId: number },
    now: Files,
    options: RestoreOptions,
  ): RestoreStep[] {
    const roots = this.manifests.rootPaths();
    const then = this.manifests.load(target.manifestId).files;
    this.addStaged(then, now, target.checkpointId);
    const find = this.database.prepare('SELECT 1 FROM snapshot_objects WHERE hash = ? AND pack_id IS NOT NULL');
    const stored = (hash: string) => find.get(hash) !== undefined;
    const own = new OwnStates(this.database, this.manifests, target.sessionId);
    const [files, unsaved] = [setOf(options.files), setOf(options.unsaved)];
    const overwrite = options.overwrite === 'all' ? 'all' : setOf(options.overwrite);
    const steps: RestoreStep[] = [];
    // One from elsewhere knows of some files only, and says nothing about the others.
    const isPartial = isImported(this.database, target.checkpointId);
    for (const [rootId, inRoot] of changesBetween(now, then)) {
      const root = roots.get(rootId);
      const current = now.get(rootId);
      if (root === undefined || current === undefined) continue;
      for (const [relative, to] of inRoot) {
        const absolute = path.join(root, relative);
        if (to === null && isPartial) continue;
        if (files !== undefined && !files.has(absolute)) continue;
        const from = current.get(relative) ?? null;
        const step = { rootId, root, path: relative, from: plain(from), to: plain(to) };
        const action = from === null ? 'create' : to === null ? 'delete' : 'write';
        if (!isStored(to, stored)) steps.push({ ...step, action: 'keep', reason: 'notStored' });
        else if (!isStored(from, stored) || isInUnknown(relative, current) || isInUnknown(relative, then.get(rootId))) {
          steps.push({ ...step, action: 'keep', reason: 'notSaved' });
        } else {
          const reason = unsaved?.has(absolute) ? 'unsaved' : own.has(rootId, relative, root, from) ? null : 'changedSince';
          const isForced = overwrite === 'all' || (overwrite?.has(absolute) ?? false);
          steps.push(reason === null || isForced ? { ...step, action, reason: null } : { ...step, action: 'conflict', reason });
        }
      }
    }
    for (const step of this.unsavedOnly(then, now, unsaved ?? new Set())) {
      const absolute = path.join(step.root, step.path);
      const isForced = overwrite === 'all' || (overwrite?.has(absolute) ?? false);
      if (!isForced && (files === undefined || files.has(absolute)) && !steps.some((one) => isSameFile(one, step)))
        steps.push(step);
    }
    return steps.sort((one, other) => (one.root + one.path < other.root + other.path ? -1 : 1));
  }

  /** Files that are as they should be, but for what an editor holds. */
  private unsavedOnly(then: Files, now: Files, unsaved: ReadonlySet<string>): RestoreStep[] {
    const roots = [...this.manifests.rootPaths()].filter(([rootId]) => now.has(rootId));
    return [...unsaved].flatMap((file) =>
      roots.flatMap(([rootId, root]): RestoreStep[] => {
        if (!file.startsWith(root + path.sep)) return [];
        const relative = path.relative(root, file).split(path.sep).join('/');
        const [from, to] = [now.get(rootId)?.get(relative), then.get(rootId)?.get(relative)];
        if (from === undefined || to === undefined) return [];
        return [{ rootId, root, path: relative, from: plain(from), to: plain(to), action: 'conflict', reason: 'unsaved' }];
      }),
    );
  }

  /** Ignored files are in no manifest before the agent touched them; what they were is what the first touch after the checkpoint found. */
  private addStaged(then: Files, now: Files, checkpointId: string): void {
    const rows = this.database
      .prepare(
        `SELECT root_id, path, kind, mode, hash, size, min(checkpoint_id) FROM staged_files
         LEFT JOIN snapshot_objects ON snapshot_objects.id = object_id WHERE checkpoint_id >= ? GROUP BY root_id, path`,
      )
      .all(checkpointId);
    for (const { root_id: root, path: relative, kind, mode, hash, size } of rows) {
      const inRoot = then.get(Number(root));
      if (inRoot === undefined || inRoot.has(String(relative)) || !now.has(Number(root)) || kind === 0) continue;
      const state = { kind: kind as FileKind, mode: mode as number, hash: hash as string | null, size: Number(size), flags: 1 };
      inRoot.set(String(relative), state);
    }
  }
}

/** What a session has left files as: by its tools, its commands and its restores. */
class OwnStates {
  private readonly states = new Map<string, Set<string | null>>();
  private readonly byRealPath = new Map<string, Set<string | null>>();

  constructor(
    private readonly database: DatabaseSync,
    private readonly manifests: ManifestStore,
    sessionId: string,
  ) {
    this.addPairs(sessionId);
    this.addTouched(sessionId);
  }

  has(rootId: number, relative: string, root: string, state: FileState | null): boolean {
    const hash = state?.hash ?? null;
    return (
      (this.states.get(`${rootId}:${relative}`)?.has(hash) ?? false) ||
      (this.byRealPath.get(path.join(root, relative))?.has(hash) ?? false)
    );
  }

  /** Around a command and around a restore there are two checkpoints, each the other's neighbour. */
  private addPairs(sessionId: string): void {
    const pairs = this.database
      .prepare(
        `SELECT b.manifest_id AS before, a.manifest_id AS after FROM checkpoints a JOIN checkpoints b ON b.id = a.parent_id
         WHERE a.session_id = ? AND a.kind IN ('command_after', 'restore_after')
         AND a.manifest_id IS NOT NULL AND b.manifest_id IS NOT NULL AND a.manifest_id <> b.manifest_id`,
      )
      .all(sessionId);
    for (const { before, after } of pairs) {
      const changes = changesBetween(this.manifests.load(Number(before)).files, this.manifests.load(Number(after)).files);
      for (const [rootId, inRoot] of changes) {
        for (const [relative, state] of inRoot) note(this.states, `${rootId}:${relative}`, state?.hash ?? null);
      }
    }
  }

  private addTouched(sessionId: string): void {
    const touched = this.database
      .prepare(
        `SELECT path, left_state, hash FROM file_snapshots LEFT JOIN snapshot_objects ON snapshot_objects.id = left_object_id
         WHERE session_id = ? AND left_state <> 'unknown'`,
      )
      .all(sessionId);
    for (const { path: real, left_state: left, hash } of touched) {
      if (left === 'gone' || hash !== null) note(this.byRealPath, String(real), hash as string | null);
    }
  }
}

function isSameFile(one: RestoreStep, other: RestoreStep): boolean {
  return one.rootId === other.rootId && one.path === other.path;
}

function note(states: Map<string, Set<string | null>>, key: string, hash: string | null): void {
  const known = states.get(key);
  if (known === undefined) states.set(key, new Set([hash]));
  else known.add(hash);
}

function isStored(state: FileState | null, stored: (hash: string) => boolean): boolean {
  return state === null || (state.kind !== 3 && state.hash !== null && stored(state.hash));
}

/** Whether a folder above it could not be listed. */
function isInUnknown(relative: string, files: ReadonlyMap<string, FileState> | undefined): boolean {
  for (let slash = relative.lastIndexOf('/'); slash > 0; slash = relative.lastIndexOf('/', slash - 1)) {
    if (files?.get(relative.slice(0, slash))?.kind === 3) return true;
  }
  return false;
}

function setOf(paths: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return paths && new Set(paths.map((one) => path.resolve(one)));
}

/** What is looked at, without what the scanner remembers beside it. */
export function plain(state: FileState | null): FileState | null {
  if (state === null) return null;
  const { kind, mode, hash, size, flags } = state;
  return { kind, mode, hash, size, flags };
}

/** Whether a file is in a state, whatever the flags. */
export function isSameContent(one: FileState | null, other: FileState | null): boolean {
  if (one === null || other === null) return one === other;
  return isSameState({ ...one, flags: 0 }, { ...other, flags: 0 });
}
