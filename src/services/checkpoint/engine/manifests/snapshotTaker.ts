import path from 'node:path';
import { isBelow } from '../../../../utils/files/isInside';
import type { Clock } from '../../../../utils/clock';
import type { CheckpointProblem } from '../../checkpointProblems';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { changesBetween, type Changes, type Files } from './manifestReader';
import { isEmpty, type ManifestStore } from './manifestStore';
import type { StagedFiles } from './stagedFiles';
import type { ObjectBatch } from '../objects/objectBatch';
import type { ObjectStore } from '../objects/objectStore';
import { readFile } from '../scan/fileReader';
import type { SeenStore } from '../scan/seenStore';
import { FolderRules } from '../../../git/ignoreRules';
import { repositoryAt, trackedNames, type GitEnvironment } from '../../../git/repository';
import { fileFlags, type FileState } from '../scan/scannedFile';
import type { ScanOptions } from '../scan/seen';
import { WorkspaceScanner } from '../scan/workspaceScanner';

export interface Workspace {
  /** Absolute paths of the workspace folders. */
  roots: readonly string[];
  /** Setting `checkpoints.exclude`. */
  exclude: readonly string[];
  /** Size limit in bytes. Only hash and size are stored for larger files. */
  maxFileBytes: number;
}

export interface Snapshot {
  manifestId: number;
  problems: CheckpointProblem[];
  /** Stored files, and the names of excluded files. */
  files: Files;
}

export interface TakerDependencies {
  fileSystem: FileSystem;
  environment: GitEnvironment;
  clock: Clock;
  seen: SeenStore;
}

/** Paths by root number. */
type Paths = ReadonlyMap<number, ReadonlySet<string>>;

interface TakeOptions {
  /** Ignored files to store in addition. */
  also?: Files;
  /**
   * All paths that this process changed since the last snapshot, which was just taken. With this option the workspace is not
   * scanned, so other changes appear in the next snapshot.
   */
  touched?: Paths | undefined;
  /**
   * Absolute paths that changed since the last snapshot, according to file
   * events. Events can be lost, so snapshots for checkpoints do not use hints.
   */
  hints?: readonly string[] | undefined;
  /** True if no checkpoint refers to the snapshot. Files that are staged for the next checkpoint stay staged. */
  isDry?: boolean;
  /** Returns hashes whose contents must be readable. Damaged contents are stored again from the workspace. */
  needs?: ((scanned: Scanned) => Iterable<string>) | undefined;
  /** Hashes of contents that were just read from the packs. */
  verified?: ReadonlySet<string>;
}

/** State of the workspace, and its differences from a manifest. */
export interface Scanned {
  parent: number | null;
  /** Changes since `parent`. */
  changes: Changes;
  files: Files;
}

interface Filled extends Scanned {
  problems: CheckpointProblem[];
}

/** Maximum bytes of unchanged content to verify per snapshot. The stored copy may be damaged while the file is intact. */
const comparedBytes = 64 * 1024 * 1024;

/** Maximum age of hints in milliseconds. Older hints are ignored, and the whole workspace is scanned. */
const maxHintAgeMs = 60_000;

/** Takes snapshots of the workspace. Scans the workspace, stores new content and adds the manifest. */
export class SnapshotTaker {
  private readonly scanners = new Map<string, WorkspaceScanner>();
  /** Manifest that matches the scanners' caches; null if unknown. */
  private synced: number | null = null;

  constructor(
    private readonly staged: StagedFiles,
    private readonly objects: ObjectStore,
    private readonly manifests: ManifestStore,
    private readonly deps: TakerDependencies,
  ) {}

  /**
   * Stores the current workspace. Runs `commit` in the same transaction.
   * If `commit` throws, even `CancelledError`, nothing is stored.
   */
  take<T>(
    workspace: Workspace,
    isCancelled: () => boolean,
    commit: (snapshot: Snapshot) => T,
    { also, touched, hints, isDry = false, needs, verified = new Set() }: TakeOptions = {},
  ): T {
    const roots = this.numberRoots(workspace);
    const { maxFileBytes, exclude } = workspace;
    const options = { maxFileBytes, exclude, isCancelled, isOwn: touched !== undefined };
    const numbers = [...roots.keys()];
    let snapshot: Snapshot | undefined;
    const result = this.objects.inBatch(
      (batch) => {
        const how = { also: also && keptIn(also), touched: touched ?? this.pathsOfHints(roots, hints), needs, verified };
        return this.fill(roots, batch, options, how);
      },
      ({ parent, changes, problems, files }): { value: T } => {
        const isSame = parent !== null && isEmpty(changes) && this.manifests.hasNames(parent);
        const manifestId = isSame ? parent : this.manifests.insert(parent, numbers, files, changes);
        if (!isDry) this.staged.unstage(numbers);
        snapshot = { manifestId, problems, files };
        return { value: commit(snapshot) };
      },
    ) as { value: T };
    if (snapshot) this.synced = snapshot.manifestId;
    return result.value;
  }

  /** Saves the scanners' caches for the next start. */
  remember(): void {
    for (const [root, scanner] of this.scanners) {
      if (scanner.memory.hasNews) this.deps.seen.save(root, scanner.files);
      scanner.memory.hasNews = false;
    }
  }

  /** Returns the workspace folders by root number, ascending. */
  numberRoots({ roots }: Workspace): Map<number, string> {
    const numbered = roots.map((root): [number, string] => [this.manifests.numberRoot(path.resolve(root)), path.resolve(root)]);
    return new Map(numbered.sort(([one], [other]) => one - other));
  }

  /**
   * Stores an ignored file with the checkpoint, and includes it in the next
   * checkpoint. Called before a tool writes, renames or deletes the file.
   */
  stage(workspace: Workspace, checkpointId: string, root: string, relative: string): void {
    const absolute = path.resolve(root);
    const { fileSystem } = this.deps;
    if (!this.isIgnored(absolute, relative, workspace)) return;
    const number = this.manifests.numberRoot(absolute);
    this.objects.inBatch(
      (batch) => {
        const read = () => readFile(path.join(absolute, relative), fileSystem, batch, workspace.maxFileBytes);
        const state = read();
        if (state?.hash == null || !this.objects.has(state.hash)) return state;
        // The tool may overwrite the only intact copy.
        const lost = this.objects.unreadable([state.hash]);
        batch.markDamaged(lost);
        return lost.size > 0 ? read() : state;
      },
      (state) => this.staged.add(checkpointId, { root: number, path: relative, state }),
    );
  }

  private isIgnored(root: string, relative: string, { exclude }: Workspace): boolean {
    const { fileSystem, environment } = this.deps;
    let rules = FolderRules.of(root, { fileSystem, environment, exclude });
    const names = relative.split('/');
    let folder = root;
    for (const [index, name] of names.entries()) {
      const isFolder = index < names.length - 1;
      if (name === '.git') return false;
      if (rules.isIgnored(name, isFolder)) return !rules.isTrackedInside(names.slice(index));
      folder = path.join(folder, name);
      if (!isFolder) continue;
      const inner = repositoryAt(folder, fileSystem, environment);
      rules = rules
        .into(name)
        .withFileIn(folder, fileSystem)
        .withRepository(inner && trackedNames(inner, fileSystem));
    }
    return false;
  }

  private fill(
    roots: Map<number, string>,
    batch: ObjectBatch,
    options: Omit<ScanOptions, 'kept'>,
    {
      also,
      touched,
      needs,
      verified,
    }: { also: Paths | undefined } & Pick<Required<TakeOptions>, 'touched' | 'needs' | 'verified'>,
  ): Filled {
    this.objects.noteLostPacks();
    const numbers = [...roots.keys()];
    const parent = this.manifests.latest(numbers);
    const { synced } = this;
    this.synced = null;
    const isSynced = synced !== null && synced === parent;
    const before = isSynced || parent === null ? new Map<number, Map<string, FileState>>() : this.manifests.load(parent).files;
    const known = isSynced
      ? new Map([...roots].map(([number, root]) => [number, this.getScanner(root).memory.kept]))
      : keptIn(before);
    let isAlone = true;
    for (const number of numbers) {
      // A snapshot of another set of folders may have scanned this folder in the meantime.
      const later = this.manifests.findLater(number, parent);
      isAlone &&= later === null;
      if (later !== null) known.set(number, keptIn(this.manifests.unusual(later)).get(number) ?? new Set());
    }
    const kept = this.listKept(numbers, known);
    for (const [number, paths] of also ?? []) for (const relative of paths) kept.get(number)?.add(relative);
    const problems: CheckpointProblem[] = [];
    const files: Files = new Map();
    const changes: Changes = new Map();
    for (const [number, root] of roots) {
      const scanner = this.getScanner(root);
      const how = { ...options, kept: kept.get(number) ?? new Set<string>() };
      const paths = isSynced && isAlone ? touched?.get(number) : undefined;
      const seen = (paths && scanner.scanPaths(paths, batch, how)) ?? scanner.scan(batch, how);
      problems.push(...seen.problems.map(({ path: relative, reason }) => ({ root, path: relative, reason })));
      files.set(number, scanner.files);
      changes.set(number, seen.changes);
    }
    const changesNow = () => (isSynced ? changes : changesBetween(before, files));
    const needed = needs?.({ parent, changes: changesNow(), files }) ?? [];
    batch.markDamaged(this.objects.unreadable([...batch.alreadyStoredUpTo(comparedBytes, verified), ...needed]));
    this.heal(roots, batch, options.maxFileBytes);
    if (isSynced) return { parent, changes, problems, files };
    // The scanners' caches may refer to content whose manifest was removed and whose objects were collected.
    for (const [number, inRoot] of changesBetween(before, files)) {
      for (const [relative, state] of inRoot) {
        if (state === null) this.getScanner(roots.get(number) as string).memory.isStillThere(relative);
        if (state === null || state.hash === null || batch.has(state.hash)) continue;
        this.getScanner(roots.get(number) as string).reread(relative, batch, options.maxFileBytes);
      }
    }
    return { parent, changes: changesNow(), problems, files };
  }

  /** Stores damaged content again if workspace files still have it. */
  private heal(roots: ReadonlyMap<number, string>, batch: ObjectBatch, maxFileBytes: number): void {
    const damaged = this.objects.damage.noted();
    if (damaged.size === 0) return;
    for (const root of roots.values()) {
      const scanner = this.getScanner(root);
      for (const [relative, { hash }] of [...scanner.files]) {
        if (hash !== null && damaged.has(hash) && !batch.has(hash)) scanner.reread(relative, batch, maxFileBytes);
      }
    }
  }

  /** Returns the hints by root number; undefined if they are not reliable. */
  private pathsOfHints(roots: ReadonlyMap<number, string>, hints?: readonly string[]): Paths | undefined {
    if (hints === undefined) return undefined;
    const now = this.deps.clock.now();
    const paths = new Map<number, Set<string>>();
    for (const [number, root] of roots) {
      const since = now - this.getScanner(root).scannedAt;
      if (since < 0 || since > maxHintAgeMs) return undefined;
      paths.set(number, new Set(this.staged.in(number)));
    }
    for (const hint of hints) {
      const holders = [...roots].filter(([, root]) => isBelow(hint, root));
      // The hint is outside the folders, or its path goes through a link. Other hints may then be incomplete as well.
      if (holders.length === 0) return undefined;
      for (const [number, root] of holders) paths.get(number)?.add(path.relative(root, hint).split(path.sep).join('/'));
    }
    return paths;
  }

  private listKept(numbers: readonly number[], known: ReadonlyMap<number, ReadonlySet<string>>): Map<number, Set<string>> {
    return new Map(numbers.map((number) => [number, new Set([...(known.get(number) ?? []), ...this.staged.in(number)])]));
  }

  private getScanner(root: string): WorkspaceScanner {
    let scanner = this.scanners.get(root);
    if (scanner === undefined) {
      const { fileSystem, environment, clock, seen } = this.deps;
      scanner = new WorkspaceScanner(root, fileSystem, environment, clock);
      scanner.memory.adopt(seen.load(root));
      this.scanners.set(root, scanner);
    }
    return scanner;
  }
}

function keptIn(files: Files): Map<number, Set<string>> {
  const kept = new Map<number, Set<string>>();
  for (const [root, inRoot] of files) {
    const paths = new Set<string>();
    for (const [relative, { flags }] of inRoot) if (flags & fileFlags.kept) paths.add(relative);
    kept.set(root, paths);
  }
  return kept;
}
