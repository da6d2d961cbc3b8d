import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { IgnoredPaths } from '../../search/searchRules';
import { walkFolder } from '../../search/workspaceWalk';
import type { FoundBy, FoundChunk, IndexedRoot, RootState } from '../codebaseProtocol';
import { chunksByLines } from './chunks';
import { questionWords } from './identifiers';
import { deleteIndex, indexErrorOf, openIndex, sizeOfIndex, WriterLock } from './indexFile';
import { IndexStore, type ReadFile, type StoredFile } from './indexStore';
import { chunksBySyntax, hasGrammar } from './syntaxChunks';
import { IndexedFiles, stampOf, type Stamp } from './textOfFile';

/** Files in one transaction; between two, a search may have its turn. */
const batchSize = 100;
/** Chunks of one file among the results. */
const mostOfOneFile = 3;

/**
 * Keeps the index of one root in step with its files and searches it. Only the window that holds the lock writes; others read what it
 * wrote. What is found is read from the files, so a result never shows what is no longer there.
 */
export class RootIndex {
  private readonly lock: WriterLock;
  private store: IndexStore | null = null;
  private isWriter = false;
  private isComplete = false;
  private isFull = false;
  private syncing: Promise<void> | null = null;
  private cutting: Promise<void> | null = null;
  private readonly lifetime = new AbortController();
  private files: IndexedFiles;

  constructor(
    private readonly file: string,
    private root: IndexedRoot,
  ) {
    this.lock = new WriterLock(file);
    this.files = new IndexedFiles(root);
  }

  /** Compares every file with the index and takes in what differs; resolves when the words of all are in it. One at a time. */
  sync(root: IndexedRoot): Promise<void> {
    this.follow(root);
    this.syncing ??= this.compare().finally(() => (this.syncing = null));
    return this.syncing;
  }

  /** Reads single files again. */
  async touch(root: IndexedRoot, paths: readonly string[]): Promise<void> {
    this.follow(root);
    await this.syncing?.catch(() => undefined);
    const store = this.opened();
    if (!this.isWriter) return;
    const rules = new IgnoredPaths(root.folder);
    for (const path of paths) {
      const isIndexed = this.isInside(path) && !rules.isIgnored(path) && !this.files.isLeftOut(path);
      const read = isIndexed ? await this.readCut(path) : null;
      this.guarded(() => (read === null ? store.remove([path]) : store.put([read])));
    }
  }

  /** Searches by words. Files that have changed since they were indexed are read again first. */
  async search(root: IndexedRoot, query: string, limit: number): Promise<FoundChunk[]> {
    this.follow(root);
    const first = this.find(query, limit);
    if (first.stale.size === 0) return first.chunks;
    await this.touch(root, [...first.stale]);
    return this.find(query, limit).chunks;
  }

  state(): RootState {
    const counts = this.store?.counts() ?? { files: 0, chunks: 0 };
    return {
      ...counts,
      bytes: sizeOfIndex(this.file),
      isBusy: this.syncing !== null || this.cutting !== null,
      ...{ isComplete: this.isComplete, isKeptElsewhere: this.store !== null && !this.isWriter, isFull: this.isFull },
    };
  }

  /** Deletes the index and makes it anew. */
  async recreate(root: IndexedRoot): Promise<void> {
    await this.syncing?.catch(() => undefined);
    await this.cutting?.catch(() => undefined);
    if (!this.lock.take()) return;
    this.store?.database.close();
    this.store = null;
    deleteIndex(this.file);
    this.isComplete = false;
    await this.sync(root);
  }

  /** Resolves when nothing is left to be cut by its syntax. */
  async settled(): Promise<void> {
    await this.syncing;
    await this.cutting;
  }

  async close(): Promise<void> {
    this.lifetime.abort();
    await this.syncing?.catch(() => undefined);
    await this.cutting?.catch(() => undefined);
    this.store?.database.close();
    this.store = null;
    this.lock.release();
  }

  private follow(root: IndexedRoot): void {
    this.root = root;
    this.files = new IndexedFiles(root);
  }

  private opened(): IndexStore {
    const mayWrite = this.isWriter || this.lock.take();
    if (this.store !== null && mayWrite !== this.isWriter) {
      this.store.database.close();
      this.store = null;
    }
    this.store ??= new IndexStore(openIndex(this.file, mayWrite));
    this.isWriter = mayWrite;
    return this.store;
  }

  private async compare(): Promise<void> {
    const store = this.opened();
    if (!this.isWriter) {
      this.isComplete = true;
      return;
    }
    const before = this.guarded(() => store.files());
    let batch: ReadFile[] = [];
    const flush = async (): Promise<void> => {
      const written = batch;
      batch = [];
      this.guarded(() => store.put(written));
      this.isFull = sizeOfIndex(this.file) > this.root.maxBytes;
      await setImmediate();
      this.lifetime.signal.throwIfAborted();
    };
    const { folder } = this.root;
    const { signal } = this.lifetime;
    for await (const entries of walkFolder(folder, { root: folder, isRecursive: true, signal })) {
      for (const { path, kind, isIgnored } of entries) {
        if (kind !== 'file' || isIgnored || this.files.isLeftOut(path)) continue;
        const known = before.get(path);
        const stamp = stampOf(join(folder, path));
        if (stamp === null) continue;
        before.delete(path);
        if (known !== undefined && isSame(known, stamp)) continue;
        const read = this.isFull && known === undefined ? null : this.readPlainly(path, known);
        if (read !== null) batch.push(read);
        if (batch.length >= batchSize) await flush();
      }
      await setImmediate();
    }
    if (batch.length > 0) await flush();
    this.guarded(() => store.remove([...before.keys()]));
    this.isComplete = true;
    this.cutting ??= this.cutBySyntax()
      .catch(() => undefined)
      .finally(() => (this.cutting = null));
  }

  /** Cuts by their syntax what was cut by its lines so that its words were there soon. */
  private async cutBySyntax(): Promise<void> {
    const store = this.opened();
    for (;;) {
      const paths = this.guarded(() => store.toCut(20));
      if (paths.length === 0) break;
      const read: ReadFile[] = [];
      const gone: string[] = [];
      for (const path of paths) {
        const one = await this.readCut(path);
        if (one === null) gone.push(path);
        else read.push(one);
        await setImmediate();
        if (this.lifetime.signal.aborted) return;
      }
      this.guarded(() => {
        store.put(read);
        store.remove(gone);
      });
    }
    this.guarded(() => store.database.exec("INSERT INTO words (words) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE)"));
  }

  /** Reads a file that may have changed and cuts it by its lines; null where it is as it was. */
  private readPlainly(path: string, known: StoredFile | undefined): ReadFile | null {
    const read = this.files.read(path);
    if (read === null) return null;
    if (known !== undefined && read.hash.length > 0 && read.hash.equals(known.hash)) {
      this.guarded(() => this.store?.restamp(known.id, read.stamp));
      return null;
    }
    const { stamp, hash, text } = read;
    const isCutBySyntax = text === null || !hasGrammar(path);
    return { path, stamp, hash, chunks: text === null ? [] : chunksByLines(text), isCutBySyntax };
  }

  private async readCut(path: string): Promise<ReadFile | null> {
    const read = this.files.read(path);
    if (read === null) return null;
    const { stamp, hash, text } = read;
    const chunks = text === null ? [] : ((await chunksBySyntax(path, text)) ?? chunksByLines(text));
    return { path, stamp, hash, chunks, isCutBySyntax: true };
  }

  private find(query: string, limit: number): { chunks: FoundChunk[]; stale: Set<string> } {
    const store = this.opened();
    const words = questionWords(query);
    const ids = this.guarded(() => store.searchWords(words, limit * 5));
    const inSymbols = new Set(this.guarded(() => store.searchWords(words, limit * 5, 'symbols')));
    const inPath = new Set(this.guarded(() => store.searchWords(words, limit * 5, 'path')));
    const chunks: FoundChunk[] = [];
    const stale = new Set<string>();
    const texts = new Map<string, string[] | null>();
    const perFile = new Map<string, number>();
    for (const id of ids) {
      if (chunks.length >= limit) break;
      const chunk = this.guarded(() => store.chunk(id));
      if (chunk === null) continue;
      const { path, first, last, symbols } = chunk;
      const count = perFile.get(path) ?? 0;
      if (count >= mostOfOneFile) continue;
      if (!texts.has(path)) texts.set(path, this.linesAsIndexed(path));
      const lines = texts.get(path) ?? null;
      if (lines === null) {
        stale.add(path);
        continue;
      }
      perFile.set(path, count + 1);
      const by: FoundBy[] = [
        'words',
        ...(inSymbols.has(id) ? ['symbol' as const] : []),
        ...(inPath.has(id) ? ['path' as const] : []),
      ];
      chunks.push({ path, first, last, symbols, text: lines.slice(first - 1, last).join('\n'), by });
    }
    return { chunks, stale };
  }

  /** Returns the lines of a file, null where it is no longer what was indexed or is not shown any more. */
  private linesAsIndexed(path: string): string[] | null {
    const known = this.guarded(() => this.opened().file(path));
    if (known === null || this.files.isLeftOut(path)) return null;
    const read = this.files.read(path);
    if (read?.text == null || !read.hash.equals(known.hash)) return null;
    return read.text.split(/\r?\n/);
  }

  /** Tells whether a path leads to itself, and not through a link elsewhere. */
  private isInside(path: string): boolean {
    const file = join(this.root.folder, path);
    try {
      return realpathSync(file) === file;
    } catch {
      return false;
    }
  }

  /** Runs work on the index. A damaged index is deleted, so that the next look makes it anew. */
  private guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const failure = indexErrorOf(error);
      if (failure.code === 'full') this.isFull = true;
      if (failure.code === 'broken' && this.isWriter) {
        this.store?.database.close();
        this.store = null;
        deleteIndex(this.file);
        this.isComplete = false;
      }
      throw failure;
    }
  }
}

function isSame(known: StoredFile, stamp: Stamp): boolean {
  return known.size === stamp.size && known.mtime === stamp.mtime && known.ctime === stamp.ctime;
}
