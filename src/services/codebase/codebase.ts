import { relative, sep } from 'node:path';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { Emitter } from '../../utils/emitter';
import type { Logger } from '../../utils/logger';
import type { SensitivityPatterns } from '../../utils/sensitivity/fileSensitivity';
import type { WorkspaceRoot } from '../files/workspacePaths';
import { CodebaseClient, CodebaseError } from './codebaseClient';
import { weightOf, type Embedder } from './embedding/embedder';
import { EmbeddingRun, type EmbeddingProgress, type EmbeddingRunOptions } from './embedding/embeddingRun';
import type { FoundChunk, IndexedRoot, QueryMeaning, RootState, SymbolPlace } from './codebaseProtocol';
import { SharedSearch, type SharedState } from './sharedSearch';
import type { LanceState } from './vectors/vectorStore';

/** Piece of a file of the workspace, or of the index that a team shares. */
export interface WorkspaceFind extends FoundChunk {
  /** Real path of the file, and `path` is as the workspace shows it; null for one of the shared index, where `path` is what that says. */
  file: string | null;
}

export interface WorkspaceFinds {
  finds: WorkspaceFind[];
  /** True while files are still being read for the first time. */
  isPartial: boolean;
}

/** State of the indexes of all folders. */
export interface CodebaseStatus extends Pick<RootState, 'files' | 'chunks' | 'vectors' | 'bytes' | 'isComplete'> {
  isEnabled: boolean;
  /** True where an index is as large as it may be. */
  isFull: boolean;
  /** True where an index has lost its vectors by damage. They are embedded again once a person rebuilds the index. */
  isDamaged: boolean;
  model: string | null;
  suggestion: string | null;
  isPaused: boolean;
  /** Chunks embedded in a second; null while nothing is embedded. */
  rate: number | null;
  /** LanceDB, where it is chosen: what is wrong with it, in the folder where something is. */
  lance: LanceState | null;
  shared: SharedState | null;
}

/** Ways of finding: by words and names, by meaning, or by both joined. */
export type SearchWay = 'words' | 'meaning' | 'both';

/** Finds places in the workspace by words, names and meaning. */
export interface WorkspaceSearch {
  /** Throws `CodebaseError`. */
  find(query: string, limit: number, signal: AbortSignal, way?: SearchWay): Promise<WorkspaceFinds>;
}

export interface CodebaseOptions {
  /** The compiled `codebaseWorker`. */
  workerPath: string;
  /** Folder of the indexes. */
  directory: string;
  /** Folder of the tables of LanceDB. */
  lanceFolder?: string;
  roots: () => Promise<WorkspaceRoot[]>;
  /** Embeds texts where a person has chosen a model for it. */
  embedder: Embedder;
  arbiter: EmbeddingRunOptions['arbiter'];
  config: () => { isEnabled: boolean; maxBytes: number; sensitive: SensitivityPatterns; isLance?: boolean; sharedUri?: string };
  clock: Clock;
  logger: Logger;
}

/** Milliseconds that a search waits for the first look through the workspace. */
const patienceMs = 8_000;
/** Milliseconds that the vector of a query may take. */
const meaningMs = 5_000;
/** Pieces of the shared index among what is found: how near they are says nothing beside what words have found. */
const mostShared = 3;
/** Names of files that decide what is ignored. */
const rulesFile = /(?:^|\/)(?:\.gitignore|\.git\/info\/exclude|\.ollamacopilotignore|\.aiexclude|\.aiignore|\.cursorignore)$/;

/** Keeps one index for each folder of the workspace, in a worker, and searches all of them. */
export class Codebase implements WorkspaceSearch, Disposable {
  private readonly client: CodebaseClient;
  private readonly embedding: EmbeddingRun;
  private readonly shared: SharedSearch;
  private readonly progressed: Emitter<EmbeddingProgress | null>;
  private looking: Promise<void> | null = null;
  private hasLooked = false;

  constructor(private readonly options: CodebaseOptions) {
    this.client = new CodebaseClient(options.workerPath, options.directory, options.logger, options.lanceFolder);
    this.shared = new SharedSearch({ ...options, client: this.client, uri: () => options.config().sharedUri ?? '' });
    this.progressed = new Emitter((error) => options.logger.error('A listener of the search index failed', error));
    const onProgress = (progress: EmbeddingProgress | null) => this.progressed.fire(progress);
    this.embedding = new EmbeddingRun({ ...options, onProgress, client: this.client, roots: () => this.roots() });
  }

  /** Fires while the workspace is embedded, and with null when that is over. */
  get onDidProgress() {
    return this.progressed.event;
  }

  /** Begins to index without waiting for it; nothing happens where search is off. */
  begin(): void {
    if (this.options.config().isEnabled) void this.look().then(() => this.embed());
  }

  /** Takes in files that have changed, by their absolute paths; null where any may have. */
  async note(files: readonly string[] | null): Promise<void> {
    if (this.looking !== null) await this.looking;
    if (!this.hasLooked || !this.options.config().isEnabled) return;
    if (files === null) {
      await this.look();
      return void this.embed();
    }
    try {
      for (const root of await this.roots()) {
        const paths = files.map((file) => relative(root.folder, file).split(sep).join('/'));
        const inside = paths.filter((path) => path !== '' && !path.startsWith('../') && path !== '..' && !/^[a-z]:/i.test(path));
        if (inside.some((path) => rulesFile.test(path))) await this.client.sync(root);
        else if (inside.length > 0) await this.client.touch(root, inside);
      }
      void this.embed();
    } catch (error) {
      this.options.logger.warn('The search index could not follow a change', error);
    }
  }

  async find(query: string, limit: number, signal: AbortSignal, way: SearchWay = 'both'): Promise<WorkspaceFinds> {
    if (!this.options.config().isEnabled) throw new CodebaseError('unavailable', 'Search is turned off');
    await this.looked(signal);
    const meaning = way === 'words' ? undefined : await this.meaningOf(query, signal);
    if (way === 'meaning' && meaning === undefined) return { finds: [], isPartial: false };
    const shared = meaning === undefined ? [] : this.shared.find(meaning.name, meaning.vector, mostShared, signal);
    const perRoot: WorkspaceFind[][] = [];
    let isPartial = false;
    for (const root of await this.roots()) {
      const { chunks, state } = await this.client.search(
        root,
        query,
        limit,
        meaning && { ...meaning, isAlone: way === 'meaning' },
      );
      isPartial ||= !state.isComplete || state.isFull;
      perRoot.push(chunks.map((chunk) => ({ ...chunk, path: root.prefix + chunk.path, file: `${root.folder}/${chunk.path}` })));
    }
    const others = (await shared).map((chunk) => ({ ...chunk, file: null }));
    signal.throwIfAborted();
    return { finds: [...inTurns(perRoot).slice(0, limit - others.length), ...others], isPartial };
  }

  /**
   * Resolves with the one place that defines each symbol (`name` or `Type.member`), its path as the workspace shows it; null where none does or
   * several files do. Throws `CodebaseError`.
   */
  async symbols(names: readonly string[], signal: AbortSignal): Promise<(SymbolPlace | null)[]> {
    if (!this.options.config().isEnabled || names.length === 0) return names.map(() => null);
    await this.looked(signal);
    const found = names.map((): SymbolPlace[] => []);
    for (const root of await this.roots()) {
      const perName = await this.client.symbols(root, names);
      perName.forEach((places, index) => {
        found[index]?.push(...places.map(({ path, line }) => ({ path: root.prefix + path, line })));
      });
    }
    return found.map(([place, ...others]) => (place === undefined || others.length > 0 ? null : place));
  }

  async states(): Promise<{ folder: string; state: RootState }[]> {
    const roots = await this.roots();
    return Promise.all(roots.map(async (root) => ({ folder: root.folder, state: await this.client.state(root) })));
  }

  /** Resolves with how far the indexes of all folders are, together. */
  async status(): Promise<CodebaseStatus> {
    const { isEnabled } = this.options.config();
    const states = (await this.states()).map(({ state }) => state);
    const sum = (name: 'files' | 'chunks' | 'vectors' | 'bytes') => states.reduce((total, state) => total + state[name], 0);
    const isComplete = states.every((state) => state.isComplete);
    const { model, suggestion } = await this.meaning().catch(() => ({ model: null, suggestion: null }));
    const lances = states.flatMap(({ lance }) => (lance === null ? [] : [lance]));
    return {
      lance: lances.find(({ trouble }) => trouble !== null) ?? lances[0] ?? null,
      shared: this.shared.state,
      ...{ isEnabled, isComplete, files: sum('files'), chunks: sum('chunks'), vectors: sum('vectors'), bytes: sum('bytes') },
      isFull: states.some((state) => state.isFull),
      isDamaged: states.some((state) => state.isDamaged),
      ...{ model, suggestion, isPaused: this.embedding.isPaused, rate: this.embedding.rate },
    };
  }

  /** Stops embedding after the present batch, or goes on. */
  pause(isPaused: boolean): void {
    this.embedding.isPaused = isPaused;
  }

  /** Deletes the indexes; they are made anew by the next look. */
  async remove(): Promise<void> {
    this.hasLooked = false;
    for (const root of await this.roots()) await this.client.remove(root);
  }

  /** Deletes the indexes and makes them anew; embedding them goes on after this has resolved. */
  async recreate(): Promise<void> {
    for (const root of await this.roots()) await this.client.recreate(root);
    void this.embed();
  }

  /** Resolves when everything is cut by its syntax. */
  async settled(): Promise<void> {
    await this.look();
    for (const root of await this.roots()) await this.client.settle(root);
  }

  /** Embeds what has no vector yet, where a model is chosen; resolves when there is no more. */
  embed(): Promise<void> {
    return this.options.config().isEnabled ? this.embedding.run() : Promise.resolve();
  }

  /** Resolves with the model by which meaning is searched, or with one that could be chosen for it. */
  async meaning(): Promise<{ model: string | null; suggestion: string | null }> {
    const { embedder } = this.options;
    const model = (await embedder.model())?.name ?? null;
    return { model, suggestion: model === null ? await embedder.suggestion() : null };
  }

  dispose(): Promise<void> {
    this.embedding.dispose();
    return this.client.dispose();
  }

  /** Resolves with the vector of a query; nothing where there is no model or it does not answer soon: words find on their own. */
  private async meaningOf(query: string, signal: AbortSignal): Promise<(QueryMeaning & { name: string }) | undefined> {
    const { embedder, clock, logger } = this.options;
    const over = new AbortController();
    const all = AbortSignal.any([signal, over.signal]);
    const asked = embedder.model().then(async (model) => {
      const vector = model === null ? null : await embedder.query(model, query, all);
      return model === null || vector === null
        ? undefined
        : { name: model.name, model: model.key, vector, weight: weightOf(model) };
    });
    asked.catch((error: unknown) => logger.debug('A query was not embedded', error));
    const late = clock.sleep(meaningMs, all).then(() => undefined);
    try {
      return await Promise.race([asked, late]).catch(() => undefined);
    } finally {
      over.abort();
      late.catch(() => undefined);
    }
  }

  /** Waits for the first look through the workspace, but not long. Throws where `signal` is aborted. */
  private async looked(signal: AbortSignal): Promise<void> {
    const looked = this.hasLooked ? Promise.resolve() : this.look();
    const over = new AbortController();
    const waited = this.options.clock.sleep(patienceMs, AbortSignal.any([signal, over.signal])).catch(() => undefined);
    await Promise.race([looked, waited]);
    over.abort();
    signal.throwIfAborted();
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
    const { maxBytes, sensitive, isLance = false } = this.options.config();
    const roots = await this.options.roots();
    // Copies them, since settings of the editor are no plain objects and cannot go to a worker.
    return roots.map(({ real, prefix }) => ({ folder: real, prefix, sensitive: [{ ...sensitive }], maxBytes, isLance }));
  }
}

/** Joins ranked lists of which no rank says more than another's: the first of each, then the second of each. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list.slice(rank, rank + 1))).flat();
}
