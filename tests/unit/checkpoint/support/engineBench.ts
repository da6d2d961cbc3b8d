import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CheckpointKind } from '../../../../src/types/checkpoint';
import { CheckpointEngine } from '../../../../src/services/checkpoint/engine/checkpointEngine';
import type { CheckpointProblem } from '../../../../src/services/checkpoint/checkpointProblems';
import type { FileSystem } from '../../../../src/utils/files/fileSystem';
import type { DatabaseSync } from '../../../../src/services/database/sqlite/sqlite';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { systemClock } from '../../../../src/utils/clock';
import { FaultyFileSystem } from './faultyFileSystem';
import { copyFolder, emptyFolder, SnapshotBench } from './snapshotBench';

/** Engine on a temporary storage folder, with a workspace folder and the session `session`. `clean` removes everything. */
export class EngineBench {
  readonly root: string;
  readonly workspace: { roots: string[]; exclude: string[]; maxFileBytes: number };
  readonly faulty = new FaultyFileSystem();
  isCancelled = false;
  /** Progress values that `verify` reported. */
  readonly shares: number[] = [];
  readonly owner = createOwner();
  readonly clock = { ...systemClock };
  /** Number of simulated boots. */
  boots = 0;
  /** Option for engines that are opened later. */
  blockThreadPath: string | undefined;
  engine: CheckpointEngine;
  readonly store = new SnapshotBench();
  private readonly folders: string[] = [];
  private bare: CheckpointEngine | null = null;

  /** `disk`: parent folder of the workspace. Defaults to the system's temporary folder. */
  constructor(private readonly disk = tmpdir()) {
    this.root = this.folder();
    this.workspace = { roots: [this.root], exclude: [], maxFileBytes: 10_000_000 };
    this.store.session();
    this.engine = this.open();
  }

  get storage(): string {
    return this.store.folder;
  }

  /** Opens another engine on the same storage. The caller must close `engine` or assign the new engine to it. */
  opened(): CheckpointEngine {
    return this.open();
  }

  /** Restarts the engine with some file system operations replaced. */
  reopen(instead: Partial<FileSystem> = {}): void {
    this.engine.dispose();
    this.engine = this.open(instead);
  }

  /** Copies storage and workspace. The returned function restores them, with a new engine. */
  image(): () => void {
    const image = this.folder();
    const storage = path.join(image, 'storage');
    const root = path.join(image, 'root');
    const { boots } = this;
    this.engine.dispose();
    this.store.copyTo(storage);
    copyFolder(this.root, root);
    this.engine = this.open();
    return () => {
      this.engine.dispose();
      this.store.resetTo(storage);
      emptyFolder(this.root);
      copyFolder(root, this.root);
      this.boots = boots;
      this.engine = this.open();
    };
  }

  folder(): string {
    const folder = realpathSync(mkdtempSync(path.join(this.disk, 'ollama-copilot-workspace-')));
    this.folders.push(folder);
    return folder;
  }

  at(relative: string): string {
    return path.join(this.root, relative);
  }

  write(relative: string, content: string | Uint8Array, mode?: number): void {
    mkdirSync(path.dirname(this.at(relative)), { recursive: true });
    writeFileSync(this.at(relative), content);
    if (mode !== undefined) chmodSync(this.at(relative), mode);
  }

  /** Makes all files look old. Changes the file times, because the engine uses the system's clock. */
  settle(): void {
    const past = new Date(Date.now() - 3_600_000);
    for (const name of readdirSync(this.root, { recursive: true })) utimesSync(this.at(String(name)), past, past);
  }

  /** Takes a checkpoint and returns its id. */
  checkpoint(title: string, kind: CheckpointKind = 'message'): string {
    return this.engine.checkpoints.takeNow('session', kind, title, this.workspace).at(-1)?.id as string;
  }

  /** Returns the files whose content in the checkpoint is not reliable. */
  problemsOf(id: string): CheckpointProblem[] {
    return this.engine.restores.listProblems('session', { kind: 'checkpoint', id }, 1_000).first;
  }

  textAt(id: string, relative: string): string | null {
    const content = this.engine.checkpoints.fileAt(id, this.root, relative);
    return content === null ? null : Buffer.from(content).toString();
  }

  /** Returns the path, mode and hash of all files in a checkpoint. */
  everything(id: string): string[] {
    const [nothing] = this.engine.checkpoints.list('session');
    return nothing ? this.engine.checkpoints.files(id).map(({ path: file, state }) => `${file} ${state.mode} ${state.hash}`) : [];
  }

  isRemovable(id: string): boolean {
    return this.rows('SELECT count(*) FROM approved_states WHERE checkpoint_id = ?', id)[0]?.[0] === 0;
  }

  remove(id: string, known: Map<string, unknown>): void {
    this.engine.checkpoints.remove(id);
    known.delete(id);
    this.checkReferences();
  }

  get objects(): string {
    return this.store.objects;
  }

  rows(sql: string, ...values: (string | number)[]): unknown[][] {
    return this.store.rows(sql, ...values);
  }

  /** Limits the database to `more` additional pages. Null removes the limit. */
  limitPages(more: number | null): void {
    const { database } = this.bare as unknown as { database: DatabaseSync };
    const count = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.exec(`PRAGMA max_page_count = ${more === null ? 1_000_000 : count + more}`);
  }

  checkReferences(): void {
    this.store.checkReferences();
  }

  clean(): void {
    this.engine.dispose();
    this.store.clean();
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }

  private open(instead: Partial<FileSystem> = {}): CheckpointEngine {
    const home = this.folder();
    const engine = new CheckpointEngine({
      directory: this.store.folder,
      owner: this.owner,
      environment: { home, configHome: home, systemConfig: path.join(home, 'none') },
      fileSystem: { ...this.faulty.fileSystem, ...instead },
      clock: this.clock,
      isCancelled: () => this.isCancelled,
      bootedAt: () => this.boots * 1e9,
      onRead: (share) => this.shares.push(share),
      ...(this.blockThreadPath === undefined ? {} : { blockThreadPath: this.blockThreadPath }),
    });
    this.bare = engine;
    return this.checked(engine);
  }

  /** Wraps the engine so that the reference counts are checked after each call that may change something, even if it fails. */
  private checked(engine: CheckpointEngine): CheckpointEngine {
    const checked = <T extends object>(of: T): T =>
      new Proxy(of, {
        get: (_target, name) => {
          const found = (of as Record<string | symbol, unknown>)[name];
          if (typeof found === 'object' && found !== null) return checked(found);
          const call = (...given: unknown[]) => (found as (...args: unknown[]) => unknown).apply(of, given);
          if (reading.has(name)) return call;
          return (...given: unknown[]) => {
            try {
              return call(...given);
            } finally {
              this.checkReferences();
            }
          };
        },
      });
    return checked(engine);
  }
}

/** Methods that change nothing. */
const reading: ReadonlySet<string | symbol> = new Set([
  'get',
  'list',
  'listProblems',
  'files',
  'fileAt',
  'diff',
  'verify',
  'usage',
  'dispose',
]);

/** Returns the mode and content of every file and link below a folder, by path. */
export function treeOf(root: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const names = readdirSync(root, { recursive: true }).map((name) => String(name).replaceAll(path.sep, '/'));
  for (const name of names.sort()) {
    const file = path.join(root, name);
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) tree[name] = `-> ${readlinkSync(file)}`;
    else if (stats.isFile()) tree[name] = `${(stats.mode & 0o777).toString(8)} ${readFileSync(file, 'latin1')}`;
  }
  return tree;
}
