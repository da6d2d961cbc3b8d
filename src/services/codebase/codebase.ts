import { join, relative, sep } from 'node:path';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { Emitter } from '../../utils/emitter';
import type { Logger } from '../../utils/logger';
import type { SensitivityPatterns } from '../../utils/sensitivity/fileSensitivity';
import type { EndRecord } from '../network/connectionLedger';
import { network } from '../network/network';
import type { WorkspaceRoot } from '../files/workspacePaths';
import { CodebaseClient, CodebaseError } from './codebaseClient';
import { meaningWeight, type Embedder } from './embedding/embedder';
import { EmbeddingRun, type EmbeddingProgress, type EmbeddingRunOptions } from './embedding/embeddingRun';
import type { IndexedRoot, QueryMeaning, RootState, SymbolPlace } from './codebaseProtocol';
import type { ChangedFiles, CodebaseStatus, SearchMethod, WorkspaceFind, WorkspaceFinds, WorkspaceSearch } from './codebaseTypes';
import { SharedSearch } from './sharedSearch';

export interface CodebaseOptions {
  workerPath: string;
  /** Folder that contains the indexes. */
  directory: string;
  lanceFolder?: string;
  roots: () => Promise<WorkspaceRoot[]>;
  /** Embeds texts if the user has selected an embedding model. */
  embedder: Embedder;
  arbiter: EmbeddingRunOptions['arbiter'];
  config: () => { isEnabled: boolean; maxBytes: number; sensitive: SensitivityPatterns; isLance?: boolean; sharedUri?: string };
  clock: Clock;
  logger: Logger;
}

/** Milliseconds that a search waits for the first indexing and for pending updates. */
const indexingWaitMs = 8_000;
/** Time limit for embedding a query, in milliseconds. */
const queryEmbeddingMs = 5_000;
/** Maximum number of results from the shared index. Their similarity is not comparable with the scores of word matches. */
const maxSharedResults = 3;
const rulesFile = /(?:^|\/)(?:\.gitignore|\.git\/info\/exclude|\.ollamacopilotignore|\.aiexclude|\.aiignore|\.cursorignore)$/;

/** Maintains one index per workspace folder in a worker, and searches all of them. */
export class Codebase implements WorkspaceSearch, Disposable {
  private readonly client: CodebaseClient;
  private readonly embedding: EmbeddingRun;
  private readonly shared: SharedSearch;
  private readonly progressed: Emitter<EmbeddingProgress | null>;
  private indexing: Promise<void> | null = null;
  private hasIndexed = false;
  private endLance: EndRecord | null = null;
  private readonly updates = new Set<Promise<unknown>>();

  constructor(private readonly options: CodebaseOptions) {
    this.client = new CodebaseClient(options.workerPath, options.directory, options.logger, options.lanceFolder);
    this.shared = new SharedSearch({ ...options, client: this.client, uri: () => options.config().sharedUri ?? '' });
    this.progressed = new Emitter((error) => options.logger.error('A listener of the search index failed', error));
    const onProgress = (progress: EmbeddingProgress | null) => this.progressed.fire(progress);
    this.embedding = new EmbeddingRun({ ...options, onProgress, client: this.client, roots: () => this.roots() });
  }

  /** Fires with the progress of embedding, and with null at the end. */
  get onDidProgress() {
    return this.progressed.event;
  }

  /** Starts indexing in the background if search is enabled. */
  startIndexing(): void {
    if (this.options.config().isEnabled) void this.indexAll().then(() => this.embed());
  }

  /** Updates the index after file changes. Searches wait for the update. If `files` is a promise, they wait for it too. */
  updateFiles(files: ChangedFiles | Promise<ChangedFiles>): Promise<void> {
    const update = Promise.resolve(files).then((changed) => this.update(changed));
    const settled: Promise<unknown> = update.catch(() => undefined).finally(() => this.updates.delete(settled));
    this.updates.add(settled);
    return update;
  }

  private async update(files: ChangedFiles): Promise<void> {
    if (this.indexing !== null) await this.indexing;
    if (!this.hasIndexed || !this.options.config().isEnabled) return;
    if (files === null) {
      await this.indexAll();
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

  async find(query: string, limit: number, signal: AbortSignal, way: SearchMethod = 'both'): Promise<WorkspaceFinds> {
    if (!this.options.config().isEnabled) throw new CodebaseError('unavailable', 'Search is turned off');
    await this.waitForIndexing(signal);
    const meaning = way === 'words' ? undefined : await this.embedQuery(query, signal);
    if (way === 'meaning' && meaning === undefined) return { finds: [], isPartial: false };
    const shared = meaning === undefined ? [] : this.shared.find(meaning.name, meaning.vector, maxSharedResults, signal);
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
      perRoot.push(chunks.map((chunk) => ({ ...chunk, path: root.prefix + chunk.path, file: join(root.folder, chunk.path) })));
    }
    const others = (await shared).map((chunk) => ({ ...chunk, file: null }));
    signal.throwIfAborted();
    return { finds: [...interleaved(perRoot).slice(0, limit - others.length), ...others], isPartial };
  }

  /**
   * Resolves with the single definition of each symbol (`name` or `Type.member`) and its workspace path. The result is null for a
   * symbol that is defined in no file or in several files. Throws `CodebaseError`.
   */
  async symbols(names: readonly string[], signal: AbortSignal): Promise<(SymbolPlace | null)[]> {
    if (!this.options.config().isEnabled || names.length === 0) return names.map(() => null);
    await this.waitForIndexing(signal);
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
      isEnabled,
      isComplete,
      files: sum('files'),
      chunks: sum('chunks'),
      vectors: sum('vectors'),
      bytes: sum('bytes'),
      isFull: states.some((state) => state.isFull),
      isDamaged: states.some((state) => state.isDamaged),
      model,
      suggestion,
      isPaused: this.embedding.isPaused,
      rate: this.embedding.rate,
    };
  }

  /** Pauses embedding after the current batch, or resumes embedding. */
  pause(isPaused: boolean): void {
    this.embedding.isPaused = isPaused;
  }

  /** Deletes the indexes. The next indexing rebuilds them. */
  async remove(): Promise<void> {
    this.hasIndexed = false;
    for (const root of await this.roots()) await this.client.remove(root);
  }

  /** Rebuilds the indexes. Embedding continues after the promise resolves. */
  async recreate(): Promise<void> {
    for (const root of await this.roots()) await this.client.recreate(root);
    void this.embed();
  }

  /** Resolves when all files are chunked by syntax. */
  async settled(): Promise<void> {
    await this.indexAll();
    for (const root of await this.roots()) await this.client.settle(root);
  }

  /** Embeds all chunks without a vector if a model is selected. Resolves when every chunk has a vector. */
  embed(): Promise<void> {
    return this.options.config().isEnabled ? this.embedding.run() : Promise.resolve();
  }

  /** Resolves with the embedding model in use, or with a suggested model if none is selected. */
  async meaning(): Promise<{ model: string | null; suggestion: string | null }> {
    const { embedder } = this.options;
    const model = (await embedder.model())?.name ?? null;
    return { model, suggestion: model === null ? await embedder.suggestion() : null };
  }

  dispose(): Promise<void> {
    this.embedding.dispose();
    this.endLance?.('closed');
    return this.client.dispose();
  }

  /**
   * Embeds a query. Resolves to undefined if there is no model or the
   * server does not respond in time. The search then uses words only.
   */
  private async embedQuery(query: string, signal: AbortSignal): Promise<(QueryMeaning & { name: string }) | undefined> {
    const { embedder, clock, logger } = this.options;
    const over = new AbortController();
    const all = AbortSignal.any([signal, over.signal]);
    const asked = embedder.model().then(async (model) => {
      const vector = model === null ? null : await embedder.query(model, query, all);
      return model === null || vector === null
        ? undefined
        : { name: model.name, model: model.key, vector, weight: meaningWeight(model) };
    });
    asked.catch((error: unknown) => logger.debug('A query was not embedded', error));
    const late = clock.sleep(queryEmbeddingMs, all).then(() => undefined);
    try {
      return await Promise.race([asked, late]).catch(() => undefined);
    } finally {
      over.abort();
      late.catch(() => undefined);
    }
  }

  /** Waits for the first indexing and for pending updates, at most `indexingWaitMs`. Throws if `signal` is aborted. */
  private async waitForIndexing(signal: AbortSignal): Promise<void> {
    const looked = this.hasIndexed ? Promise.resolve() : this.indexAll();
    const over = new AbortController();
    const waited = this.options.clock.sleep(indexingWaitMs, AbortSignal.any([signal, over.signal])).catch(() => undefined);
    await Promise.race([looked.then(() => Promise.all(this.updates)), waited]);
    over.abort();
    signal.throwIfAborted();
  }

  private indexAll(): Promise<void> {
    // The LanceDB process starts in the worker.
    if (this.options.config().isLance === true)
      this.endLance ??= network.began({ purpose: 'lance', detail: this.options.lanceFolder ?? this.options.directory });
    this.indexing ??= this.compareAll().finally(() => (this.indexing = null));
    return this.indexing;
  }

  private async compareAll(): Promise<void> {
    try {
      for (const root of await this.roots()) await this.client.sync(root);
      this.hasIndexed = true;
    } catch (error) {
      this.options.logger.warn('The workspace could not be indexed for search', error);
    }
  }

  private async roots(): Promise<IndexedRoot[]> {
    const { maxBytes, sensitive, isLance = false } = this.options.config();
    const roots = await this.options.roots();
    // Copy the settings, because settings objects of the editor cannot be sent to a worker.
    return roots.map(({ real, prefix }) => ({ folder: real, prefix, sensitive: [{ ...sensitive }], maxBytes, isLance }));
  }
}

/**
 * Interleaves ranked lists whose scores are not comparable. Takes the first item of each list, then the second items, and so on.
 */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list.slice(rank, rank + 1))).flat();
}
