import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { IgnoredPaths } from '../../search/searchRules';
import { walkFolder } from '../../search/workspaceWalk';
import type {
  ChunkText,
  EmbeddedChunk,
  FoundChunk,
  IndexedRoot,
  QueryMeaning,
  RootState,
  SymbolPlace,
} from '../codebaseProtocol';
import { chunksByLines } from './chunks';
import type { FileToIndex, StoredFile } from './indexStore';
import type { LanceTables } from '../lance/port';
import { Lookup, type FoundCode } from './lookup';
import { OpenedIndex } from './openedIndex';
import { chunksBySyntax, hasGrammar } from './syntaxChunks';
import { IndexedFiles, hasNoLinks, isSame, readStamp } from './textOfFile';

/** Number of files per transaction. A search can run between two transactions. */
const batchSize = 100;

/**
 * Keeps the index of one root in sync with its files, and searches it. Only the window with the lock writes. Other windows read
 * the index that it maintains. The text of search results is read from the files, so deleted text is never shown.
 */
export class RootIndex {
  private readonly index: OpenedIndex;
  private isComplete = false;
  private syncing: Promise<void> | null = null;
  private chunking: Promise<void> | null = null;
  private readonly lifetime = new AbortController();
  private files: IndexedFiles;

  constructor(file: string, root: IndexedRoot, lance: LanceTables | null = null) {
    this.index = new OpenedIndex(file, root, lance);
    this.files = new IndexedFiles(root);
  }

  /**
   * Compares every file with the index and indexes the differences.
   * Resolves when all words are indexed. Only one sync runs at a time.
   */
  sync(root: IndexedRoot): Promise<void> {
    this.setRoot(root);
    this.syncing ??= this.compare()
      .catch((error: unknown) => {
        if (!this.index.isLost) throw error;
        return this.compare();
      })
      .finally(() => (this.syncing = null));
    return this.syncing;
  }

  async touch(root: IndexedRoot, paths: readonly string[]): Promise<void> {
    this.setRoot(root);
    await this.syncing?.catch(() => undefined);
    await this.withRecovery(() => this.readAgain(paths));
  }

  private async readAgain(paths: readonly string[]): Promise<void> {
    const store = this.index.opened();
    if (!this.index.isWriter) return;
    const { folder } = this.index.root;
    const rules = new IgnoredPaths(folder);
    for (const path of paths) {
      const isIndexed = hasNoLinks(join(folder, path)) && !rules.isIgnored(path) && !this.files.isExcluded(path);
      const read = isIndexed ? await this.readBySyntax(path) : null;
      this.index.guarded(() => (read === null ? store.remove([path]) : store.put([read])));
    }
  }

  /**
   * Searches by words, and by meaning if the query has a vector. First
   * reindexes result files that have changed since they were indexed.
   */
  search(root: IndexedRoot, query: string, limit: number, meaning?: QueryMeaning): Promise<FoundChunk[]> {
    return this.readFresh(root, (lookup) => lookup.find(query, limit, meaning));
  }

  /** Returns the definitions of each name. First reindexes files that have changed since they were indexed. */
  definitions(root: IndexedRoot, names: readonly string[]): Promise<SymbolPlace[][]> {
    return this.readFresh(root, (lookup) => Promise.resolve(lookup.definitions(names)));
  }

  private async readFresh<T>(root: IndexedRoot, read: (lookup: Lookup) => Promise<FoundCode<T>>): Promise<T[]> {
    this.setRoot(root);
    const find = () => this.withRecovery(() => this.runLookup(read));
    const first = await find();
    if (first.stale.size === 0) return first.chunks;
    await this.touch(root, [...first.stale]);
    return (await find()).chunks;
  }

  /**
   * Returns texts of chunks without a vector. First reindexes changed files. Returns no texts if vectors were lost through
   * damage. Embedding may take hours, so the user decides whether to embed again.
   */
  async toEmbed(root: IndexedRoot, model: string, limit: number, asWords: boolean): Promise<ChunkText[]> {
    this.setRoot(root);
    await this.settled();
    const { index } = this;
    index.opened();
    index.isFull ||= (await index.bytes()) > root.maxBytes;
    if (!index.isWriter || index.isFull || index.hasLostVectors()) return [];
    await index.useModel(model);
    const next = () => index.guarded(() => new Lookup(index.opened(), index.getMeaning(), this.files).toEmbed(limit, asWords));
    const { chunks, stale } = next();
    if (chunks.length > 0 || stale.size === 0) return chunks;
    await this.touch(root, [...stale]);
    return next().chunks;
  }

  /** Stores vectors. Resolves with true if vectors with another length were deleted. */
  async putVectors(model: string, chunks: readonly EmbeddedChunk[]): Promise<boolean> {
    this.index.opened();
    if (!this.index.isWriter || this.index.hasLostVectors()) return false;
    await this.index.useModel(model);
    return this.index.guardedAsync(() => this.index.getMeaning().put(chunks));
  }

  async state(): Promise<RootState> {
    const { index } = this;
    const counts = index.current?.counts() ?? { files: 0, chunks: 0 };
    const vectors = index.current === null ? 0 : await index.getMeaning().count();
    const isDamaged = index.hasLostVectors();
    return {
      ...counts,
      vectors: isDamaged ? 0 : vectors,
      isDamaged,
      bytes: await index.bytes(),
      lance: index.lanceState,
      isBusy: this.syncing !== null || this.chunking !== null,
      isComplete: this.isComplete && !index.isLost,
      isKeptElsewhere: index.current !== null && !index.isWriter,
      isFull: index.isFull,
    };
  }

  async recreate(root: IndexedRoot): Promise<void> {
    if (await this.remove()) await this.sync(root);
  }

  /** Deletes the index. Resolves with false if another window maintains it. */
  async remove(): Promise<boolean> {
    await this.waitUntilIdle();
    const isRemoved = await this.index.remove();
    if (isRemoved) this.isComplete = false;
    return isRemoved;
  }

  async settled(): Promise<void> {
    if (this.index.isLost) await this.sync(this.index.root);
    await this.syncing;
    await this.chunking;
  }

  async close(): Promise<void> {
    this.lifetime.abort();
    await this.waitUntilIdle();
    await this.index.close();
  }

  private async waitUntilIdle(): Promise<void> {
    await this.syncing?.catch(() => undefined);
    await this.chunking?.catch(() => undefined);
  }

  private setRoot(root: IndexedRoot): void {
    if (root.isLance !== this.index.root.isLance) this.index.forgetMeaning();
    this.index.root = root;
    this.files = new IndexedFiles(root);
  }

  private async compare(): Promise<void> {
    if (this.index.isLost) this.isComplete = false;
    this.index.isLost = false;
    const store = this.index.opened();
    if (!this.index.isWriter) {
      this.isComplete = true;
      return;
    }
    // Check again, because space on a full disk may be available now.
    this.index.isFull = (await this.index.bytes()) > this.index.root.maxBytes;
    const before = this.index.guarded(() => store.files());
    let batch: FileToIndex[] = [];
    const flush = async (): Promise<void> => {
      const written = batch;
      batch = [];
      this.index.guarded(() => store.put(written));
      this.index.isFull = (await this.index.bytes()) > this.index.root.maxBytes;
      await setImmediate();
      this.lifetime.signal.throwIfAborted();
    };
    const { folder } = this.index.root;
    for await (const entries of walkFolder(folder, { root: folder, isRecursive: true, signal: this.lifetime.signal })) {
      for (const { path, kind, isIgnored } of entries) {
        if (kind !== 'file' || isIgnored || this.files.isExcluded(path)) continue;
        const known = before.get(path);
        const stamp = readStamp(join(folder, path));
        if (stamp === null) continue;
        before.delete(path);
        if (known !== undefined && isSame(known, stamp)) continue;
        const read = this.index.isFull && known === undefined ? null : this.readByLines(path, known);
        if (read !== null) batch.push(read);
        if (batch.length >= batchSize) await flush();
      }
      await setImmediate();
    }
    if (batch.length > 0) await flush();
    this.index.guarded(() => store.remove([...before.keys()]));
    this.isComplete = true;
    this.chunking ??= this.chunkBySyntax()
      .catch(() => undefined)
      .finally(() => (this.chunking = null));
  }

  /** Chunks files by syntax. They were first chunked by lines, so that their words were searchable sooner. */
  private async chunkBySyntax(): Promise<void> {
    const store = this.index.opened();
    for (;;) {
      const paths = this.index.guarded(() => store.pathsToChunk(20));
      if (paths.length === 0) break;
      const read: FileToIndex[] = [];
      const gone: string[] = [];
      for (const path of paths) {
        const one = await this.readBySyntax(path);
        if (one === null) gone.push(path);
        else read.push(one);
        await setImmediate();
        if (this.lifetime.signal.aborted) return;
      }
      this.index.guarded(() => {
        // Skip files that were removed in the meantime.
        store.put(read.filter(({ path }) => store.file(path) !== null));
        store.remove(gone);
      });
    }
    this.index.guarded(() =>
      store.database.exec("INSERT INTO words (words) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE)"),
    );
  }

  /** Reads a file that may have changed and chunks it by lines. Returns null if the content is unchanged. */
  private readByLines(path: string, known: StoredFile | undefined): FileToIndex | null {
    const read = this.files.read(path);
    if (read === null) return null;
    if (known !== undefined && read.hash.length > 0 && read.hash.equals(known.hash)) {
      this.index.guarded(() => this.index.current?.restamp(known.id, read.stamp));
      return null;
    }
    const { stamp, hash, text } = read;
    const isCutBySyntax = text === null || !hasGrammar(path);
    return { path, stamp, hash, chunks: text === null ? [] : chunksByLines(text), isChunkedBySyntax: isCutBySyntax };
  }

  private async readBySyntax(path: string): Promise<FileToIndex | null> {
    const read = this.files.read(path);
    if (read === null) return null;
    const { stamp, hash, text } = read;
    const chunks = text === null ? [] : ((await chunksBySyntax(path, text)) ?? chunksByLines(text));
    return { path, stamp, hash, chunks, isChunkedBySyntax: true };
  }

  private runLookup<T>(read: (lookup: Lookup) => Promise<FoundCode<T>>): Promise<FoundCode<T>> {
    const store = this.index.opened();
    return this.index.guardedAsync(() => read(new Lookup(store, this.index.getMeaning(), this.files)));
  }

  /** Runs `work`. If the index is damaged, rebuilds it and runs `work` once more. */
  private async withRecovery<T>(work: () => Promise<T>): Promise<T> {
    if (this.index.isLost) await this.sync(this.index.root);
    try {
      return await work();
    } catch (error) {
      if (!this.index.isLost) throw error;
      await this.sync(this.index.root);
      return work();
    }
  }
}
