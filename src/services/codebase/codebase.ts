import { relative, sep } from 'node:path';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { SensitivityPatterns } from '../../utils/sensitivity/fileSensitivity';
import type { WorkspaceRoot } from '../files/workspacePaths';
import { CodebaseClient, CodebaseError } from './codebaseClient';
import type { FoundChunk, IndexedRoot, RootState } from './codebaseProtocol';

/** Piece of a file of the workspace. */
export interface WorkspaceFind extends FoundChunk {
  /** Real path of the file; `path` is as the workspace shows it. */
  file: string;
}

export interface WorkspaceFinds {
  finds: WorkspaceFind[];
  /** True while files are still being read for the first time. */
  isPartial: boolean;
}

/** Finds places in the workspace by words, names and meaning. */
export interface WorkspaceSearch {
  /** Throws `CodebaseError`. */
  find(query: string, limit: number, signal: AbortSignal): Promise<WorkspaceFinds>;
}

export interface CodebaseOptions {
  /** The compiled `codebaseWorker`. */
  workerPath: string;
  /** Folder of the indexes. */
  directory: string;
  roots: () => Promise<WorkspaceRoot[]>;
  config: () => { isEnabled: boolean; maxBytes: number; sensitive: SensitivityPatterns };
  clock: Clock;
  logger: Logger;
}

/** Milliseconds that a search waits for the first look through the workspace. */
const patienceMs = 8_000;
/** Names of files that decide what is ignored. */
const rulesFile = /(?:^|\/)(?:\.gitignore|\.git\/info\/exclude|\.ollamaignore)$/;

/** Keeps one index for each folder of the workspace, in a worker, and searches all of them. */
export class Codebase implements WorkspaceSearch, Disposable {
  private readonly client: CodebaseClient;
  private looking: Promise<void> | null = null;
  private hasLooked = false;

  constructor(private readonly options: CodebaseOptions) {
    this.client = new CodebaseClient(options.workerPath, options.directory, options.logger);
  }

  /** Begins to index without waiting for it; nothing happens where search is off. */
  begin(): void {
    if (this.options.config().isEnabled) void this.look();
  }

  /** Takes in files that have changed, by their absolute paths; null where any may have. */
  async note(files: readonly string[] | null): Promise<void> {
    if (this.looking !== null) await this.looking;
    if (!this.hasLooked || !this.options.config().isEnabled) return;
    if (files === null) return this.look();
    try {
      for (const root of await this.roots()) {
        const paths = files.map((file) => relative(root.folder, file).split(sep).join('/'));
        const inside = paths.filter((path) => path !== '' && !path.startsWith('../') && path !== '..' && !/^[a-z]:/i.test(path));
        if (inside.some((path) => rulesFile.test(path))) await this.client.sync(root);
        else if (inside.length > 0) await this.client.touch(root, inside);
      }
    } catch (error) {
      this.options.logger.warn('The search index could not follow a change', error);
    }
  }

  async find(query: string, limit: number, signal: AbortSignal): Promise<WorkspaceFinds> {
    const { config, clock } = this.options;
    if (!config().isEnabled) throw new CodebaseError('unavailable', 'Search is turned off');
    const looked = this.hasLooked ? Promise.resolve() : this.look();
    const over = new AbortController();
    const waited = clock.sleep(patienceMs, AbortSignal.any([signal, over.signal])).catch(() => undefined);
    await Promise.race([looked, waited]);
    over.abort();
    signal.throwIfAborted();
    const perRoot: WorkspaceFind[][] = [];
    let isPartial = false;
    for (const root of await this.roots()) {
      const { chunks, state } = await this.client.search(root, query, limit);
      isPartial ||= !state.isComplete || state.isFull;
      perRoot.push(chunks.map((chunk) => ({ ...chunk, path: root.prefix + chunk.path, file: `${root.folder}/${chunk.path}` })));
    }
    signal.throwIfAborted();
    return { finds: inTurns(perRoot).slice(0, limit), isPartial };
  }

  async states(): Promise<{ folder: string; state: RootState }[]> {
    const roots = await this.roots();
    return Promise.all(roots.map(async (root) => ({ folder: root.folder, state: await this.client.state(root) })));
  }

  /** Deletes the indexes and makes them anew. */
  async recreate(): Promise<void> {
    for (const root of await this.roots()) await this.client.recreate(root);
  }

  /** Resolves when everything is cut by its syntax. */
  async settled(): Promise<void> {
    await this.look();
    for (const root of await this.roots()) await this.client.settle(root);
  }

  dispose(): Promise<void> {
    return this.client.dispose();
  }

  private look(): Promise<void> {
    this.looking ??= this.compareAll().finally(() => (this.looking = null));
    return this.looking;
  }

  private async compareAll(): Promise<void> {
    try {
      for (const root of await this.roots()) await this.client.sync(root);
      this.hasLooked = true;
    } catch (error) {
      this.options.logger.warn('The workspace could not be indexed for search', error);
    }
  }

  private async roots(): Promise<IndexedRoot[]> {
    const { maxBytes, sensitive } = this.options.config();
    const roots = await this.options.roots();
    return roots.map(({ real, prefix }) => ({ folder: real, prefix, sensitive: [sensitive], maxBytes }));
  }
}

/** Joins ranked lists of which no rank says more than another's: the first of each, then the second of each. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list.slice(rank, rank + 1))).flat();
}
