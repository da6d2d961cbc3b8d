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

/** Subject of a snapshot, and the rules for it. */
export interface Workspace {
  /** Absolute paths of the workspace folders. */
  roots: readonly string[];
  /** `checkpoints.exclude`. */
  exclude: readonly string[];
  /** Larger files are known by hash and size only. */
  maxFileBytes: number;
}

export interface Snapshot {
  manifestId: number;
  problems: CheckpointProblem[];
  /** Files that are taken, and the names of what is left out. */
  files: Files;
}

export interface TakerSurroundings {
  fileSystem: FileSystem;
  environment: GitEnvironment;
  clock: Clock;
  seen: SeenStore;
}

/** Paths by the numbers of their workspace folders. */
type Paths = ReadonlyMap<number, ReadonlySet<string>>;

interface TakeOptions {
  /** Ignored files that are taken too. */
  also?: Files;
  /**
   * All that was changed from here since the last one, which was just now; the workspace is not scanned again for it, so what others change
   * meanwhile is in the next one.
   */
  touched?: Paths | undefined;
  /**
   * Absolute paths of all that has changed since the last one, as far as somebody was told. Nobody is told all, so what is stored for good is
   * taken without.
   */
  hints?: readonly string[] | undefined;
  /** True if no checkpoint refers to it: files staged for the next one stay staged. */
  isDry?: boolean;
  /** Returns the contents that have to be readable: they are read, and stored anew where they cannot be and a file has them. */
  needs?: ((scanned: Scanned) => Iterable<string>) | undefined;
}

/** The workspace as it is now, and how it differs from a manifest. */
export interface Scanned {
  parent: number | null;
  /** Since `parent`. */
  changes: Changes;
  files: Files;
}

interface Filled extends Scanned {
  problems: CheckpointProblem[];
}

/** Bytes of scanned content that are compared with the stored copy: it may be damaged, and the file the last good one. */
const comparedBytes = 64 * 1024 * 1024;

/** Milliseconds after which the whole workspace is walked again, whatever hints say. */
const hintsLastMs = 60_000;

/** Takes snapshots of the workspace: scans it, stores what is new and the manifest of it all. */
export class SnapshotTaker {
  private readonly scanners = new Map<string, WorkspaceScanner>();
  /** The manifest that says what the scanners have seen; null where that is not known. */
  private synced: number | null = null;

  constructor(
    private readonly staged: StagedFiles,
    private readonly objects: ObjectStore,
    private readonly manifests: ManifestStore,
    private readonly around: TakerSurroundings,
  ) {}

  /**
   * Stores the workspace as it is now; `commit` runs in the same transaction. Throws `CancelledError`, and what keeps it from being stored:
   * nothing is, then.
   */
  take<T>(
    workspace: Workspace,
    isCancelled: () => boolean,
    commit: (snapshot: Snapshot) => T,
    { also, touched, hints, isDry = false, needs }: TakeOptions = {},
  ): T {
    const roots = this.rootsOf(workspace);
    const options = { maxFileBytes: workspace.maxFileBytes, exclude: workspace.exclude, isCancelled };
    const numbers = [...roots.keys()];
    let snapshot: Snapshot | undefined;
    const result = this.objects.inBatch(
      (batch) => {
        const how = { also: also && keptIn(also), touched: touched ?? this.hinted(roots, hints), needs };
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

  /** Writes down what the scanners have seen, for the next start. */
  remember(): void {
    for (const [root, scanner] of this.scanners) {
      if (scanner.memory.hasNews) this.around.seen.save(root, scanner.files);
      scanner.memory.hasNews = false;
    }
  }

  /** Numbers of the workspace folders, ascending, with their paths. */
  rootsOf({ roots }: Workspace): Map<number, string> {
    const numbered = roots.map((root): [number, string] => [this.manifests.rootOf(path.resolve(root)), path.resolve(root)]);
    return new Map(numbered.sort(([one], [other]) => one - other));
  }

  /**
   * Keeps an ignored file as it is now with the checkpoint, and makes the next checkpoint take it although it is ignored. Called before a
   * tool writes, renames or deletes a file.
   */
  stage(workspace: Workspace, checkpointId: string, root: string, relative: string): void {
    const absolute = path.resolve(root);
    const { fileSystem } = this.around;
    if (!this.isIgnored(absolute, relative, workspace)) return;
    const number = this.manifests.rootOf(absolute);
    this.objects.inBatch(
      (batch) => {
        const read = () => readFile(path.join(absolute, relative), fileSystem, batch, workspace.maxFileBytes);
        const state = read();
        if (state?.hash == null || !this.objects.has(state.hash)) return state;
        // The tool may overwrite the last copy.
        const lost = this.objects.unreadable([state.hash]);
        batch.doubt(lost);
        return lost.size > 0 ? read() : state;
      },
      (state) => this.staged.add(checkpointId, { root: number, path: relative, state }),
    );
  }

  private isIgnored(root: string, relative: string, { exclude }: Workspace): boolean {
    const { fileSystem, environment } = this.around;
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
    { also, touched, needs }: { also: Paths | undefined; touched: Paths | undefined; needs: TakeOptions['needs'] },
  ): Filled {
    this.objects.noteLostPacks();
    const numbers = [...roots.keys()];
    const parent = this.manifests.latest(numbers);
    const { synced } = this;
    this.synced = null;
    const isSynced = synced !== null && synced === parent;
    const before = isSynced || parent === null ? new Map<number, Map<string, FileState>>() : this.manifests.load(parent).files;
    const known = isSynced
      ? new Map([...roots].map(([number, root]) => [number, this.scannerOf(root).memory.kept]))
      : keptIn(before);
    let isAlone = true;
    for (const number of numbers) {
      // The same folder may have been looked at since among others.
      const later = this.manifests.laterOf(number, parent);
      isAlone &&= later === null;
      if (later !== null) known.set(number, keptIn(this.manifests.unusual(later)).get(number) ?? new Set());
    }
    const kept = this.keptOf(numbers, known);
    for (const [number, paths] of also ?? []) for (const relative of paths) kept.get(number)?.add(relative);
    const problems: CheckpointProblem[] = [];
    const files: Files = new Map();
    const changes: Changes = new Map();
    for (const [number, root] of roots) {
      const scanner = this.scannerOf(root);
      const how = { ...options, kept: kept.get(number) ?? new Set<string>() };
      const paths = isSynced && isAlone ? touched?.get(number) : undefined;
      const seen = (paths && scanner.look(paths, batch, how)) ?? scanner.scan(batch, how);
      problems.push(...seen.problems.map(({ path: relative, reason }) => ({ root, path: relative, reason })));
      files.set(number, scanner.files);
      changes.set(number, seen.changes);
    }
    const changesNow = () => (isSynced ? changes : changesBetween(before, files));
    const needed = needs?.({ parent, changes: changesNow(), files }) ?? [];
    batch.doubt(this.objects.unreadable([...batch.sparedUpTo(comparedBytes), ...needed]));
    this.heal(roots, batch, options.maxFileBytes);
    if (isSynced) return { parent, changes, problems, files };
    // What the scanners remember may have been stored with a manifest that is gone, and collected since.
    for (const [number, inRoot] of changesBetween(before, files)) {
      for (const [relative, state] of inRoot) {
        if (state === null) this.scannerOf(roots.get(number) as string).memory.isStillThere(relative);
        if (state === null || state.hash === null || batch.has(state.hash)) continue;
        this.scannerOf(roots.get(number) as string).reread(relative, batch, options.maxFileBytes);
      }
    }
    return { parent, changes: changesNow(), problems, files };
  }

  /** Stores anew what is damaged and lies on the disk. */
  private heal(roots: ReadonlyMap<number, string>, batch: ObjectBatch, maxFileBytes: number): void {
    const damaged = this.objects.damage.noted();
    if (damaged.size === 0) return;
    for (const root of roots.values()) {
      const scanner = this.scannerOf(root);
      for (const [relative, { hash }] of [...scanner.files]) {
        if (hash !== null && damaged.has(hash) && !batch.has(hash)) scanner.reread(relative, batch, maxFileBytes);
      }
    }
  }

  /** Returns the hints by workspace folder; undefined if they are not to be relied on. */
  private hinted(roots: ReadonlyMap<number, string>, hints?: readonly string[]): Paths | undefined {
    if (hints === undefined) return undefined;
    const now = this.around.clock.now();
    const paths = new Map<number, Set<string>>();
    for (const [number, root] of roots) {
      const since = now - this.scannerOf(root).walkedAt;
      if (since < 0 || since > hintsLastMs) return undefined;
      paths.set(number, new Set(this.staged.in(number)));
    }
    for (const hint of hints) {
      const holders = [...roots].filter(([, root]) => isBelow(hint, root));
      // Of a folder that is a link, or of none: nobody knows then what else was told by other names.
      if (holders.length === 0) return undefined;
      for (const [number, root] of holders) paths.get(number)?.add(path.relative(root, hint).split(path.sep).join('/'));
    }
    return paths;
  }

  private keptOf(numbers: readonly number[], known: ReadonlyMap<number, ReadonlySet<string>>): Map<number, Set<string>> {
    return new Map(numbers.map((number) => [number, new Set([...(known.get(number) ?? []), ...this.staged.in(number)])]));
  }

  private scannerOf(root: string): WorkspaceScanner {
    let scanner = this.scanners.get(root);
    if (scanner === undefined) {
      const { fileSystem, environment, clock, seen } = this.around;
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
