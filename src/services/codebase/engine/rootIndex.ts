import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { IgnoredPaths } from '../../search/searchRules';
import { walkFolder } from '../../search/workspaceWalk';
import type { ChunkText, EmbeddedChunk, FoundChunk, IndexedRoot, QueryMeaning, RootState } from '../codebaseProtocol';
import { chunksByLines } from './chunks';
import { deleteIndex, indexErrorOf, openIndex, sizeOfIndex, WriterLock, type IndexError } from './indexFile';
import { IndexStore, type ReadFile, type StoredFile } from './indexStore';
import type { LanceTables } from '../vectors/lance/lanceLink';
import { Lookup, type Found } from './lookup';
import { Meaning } from './meaning';
import { chunksBySyntax, hasGrammar } from './syntaxChunks';
import { IndexedFiles, isItself, stampOf, type Stamp } from './textOfFile';

/** Files in one transaction; between two, a search may have its turn. */
const batchSize = 100;

/**
 * Keeps the index of one root in step with its files and searches it. Only the window that holds the lock writes; others read what it
 * wrote. What is found is read from the files, so a result never shows what is no longer there.
 */
export class RootIndex {
  private readonly lock: WriterLock;
  private store: IndexStore | null = null;
  private meaning: Meaning | null = null;
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
    private readonly lance: LanceTables | null = null,
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
      const isIndexed = isItself(join(root.folder, path)) && !rules.isIgnored(path) && !this.files.isLeftOut(path);
      const read = isIndexed ? await this.readCut(path) : null;
      this.guarded(() => (read === null ? store.remove([path]) : store.put([read])));
    }
  }

  /** Searches by words, and by meaning where there is a vector of the query. Files that have changed since they were indexed are read again first. */
  async search(root: IndexedRoot, query: string, limit: number, meaning?: QueryMeaning): Promise<FoundChunk[]> {
    this.follow(root);
    const first = await this.find(query, limit, meaning);
    if (first.stale.size === 0) return first.chunks;
    await this.touch(root, [...first.stale]);
    return (await this.find(query, limit, meaning)).chunks;
  }

  /** Returns texts of chunks that have no vector; of files that have changed there are none until they are read again. */
  async toEmbed(root: IndexedRoot, model: string, limit: number, asWords: boolean): Promise<ChunkText[]> {
    this.follow(root);
    await this.settled();
    this.opened();
    this.isFull ||= (await this.bytes()) > this.root.maxBytes;
    if (!this.isWriter || this.isFull) return [];
    await this.meaningOf().begin(model);
    const next = () => this.guarded(() => new Lookup(this.opened(), this.meaningOf(), this.files).toEmbed(limit, asWords));
    const { chunks, stale } = next();
    if (chunks.length > 0 || stale.size === 0) return chunks;
    await this.touch(root, [...stale]);
    return next().chunks;
  }

  /** Takes in vectors; true where those of another length went. */
  async putVectors(model: string, chunks: readonly EmbeddedChunk[]): Promise<boolean> {
    this.opened();
    if (!this.isWriter) return false;
    await this.meaningOf().begin(model);
    return this.meaningOf().put(chunks);
  }

  async state(): Promise<RootState> {
    const counts = this.store?.counts() ?? { files: 0, chunks: 0 };
    return {
      ...counts,
      vectors: this.store === null ? 0 : await this.meaningOf().count(),
      bytes: await this.bytes(),
      lance: this.root.isLance === true && this.lance !== null ? { trouble: this.lance.link.trouble } : null,
      isBusy: this.syncing !== null || this.cutting !== null,
      ...{ isComplete: this.isComplete, isKeptElsewhere: this.store !== null && !this.isWriter, isFull: this.isFull },
    };
  }

  /** Deletes the index and makes it anew. */
  async recreate(root: IndexedRoot): Promise<void> {
    if (await this.remove()) await this.sync(root);
  }

  /** Deletes the index; resolves with false where another window keeps it. */
  async remove(): Promise<boolean> {
    await this.atRest();
    if (!this.lock.take()) return false;
    await this.meaning?.close();
    this.forget();
    deleteIndex(this.file);
    await this.lance?.remove();
    this.isComplete = false;
    return true;
  }

  /** Resolves when nothing is left to be cut by its syntax. */
  async settled(): Promise<void> {
    await this.syncing;
    await this.cutting;
  }

  async close(): Promise<void> {
    this.lifetime.abort();
    await this.atRest();
    await this.meaning?.close();
    this.forget();
    this.lock.release();
  }

  private async bytes(): Promise<number> {
    return sizeOfIndex(this.file) + ((await this.lance?.size()) ?? 0);
  }

  private async atRest(): Promise<void> {
    await this.syncing?.catch(() => undefined);
    await this.cutting?.catch(() => undefined);
  }

  private forget(): void {
    this.store?.database.close();
    this.store = null;
    this.forgetMeaning();
  }

  private forgetMeaning(): void {
    void this.meaning?.close();
    this.meaning = null;
  }

  private meaningOf(): Meaning {
    const { database } = this.opened();
    const lance = this.lance && { tables: this.lance, isUsed: this.root.isLance === true, mayWrite: () => this.isWriter };
    return (this.meaning ??= new Meaning(database, lance));
  }

  private follow(root: IndexedRoot): void {
    if (root.isLance !== this.root.isLance) this.forgetMeaning();
    this.root = root;
    this.files = new IndexedFiles(root);
  }

  private opened(): IndexStore {
    const mayWrite = this.isWriter || this.lock.take();
    if (mayWrite !== this.isWriter) this.forget();
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
    // A disk that was full may have room again.
    this.isFull = (await this.bytes()) > this.root.maxBytes;
    const before = this.guarded(() => store.files());
    let batch: ReadFile[] = [];
    const flush = async (): Promise<void> => {
      const written = batch;
      batch = [];
      this.guarded(() => store.put(written));
      this.isFull = (await this.bytes()) > this.root.maxBytes;
      await setImmediate();
      this.lifetime.signal.throwIfAborted();
    };
    const { folder } = this.root;
    for await (const entries of walkFolder(folder, { root: folder, isRecursive: true, signal: this.lifetime.signal })) {
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
        // Leaves out what was taken out meanwhile, since somebody may have closed it.
        store.put(read.filter(({ path }) => store.file(path) !== null));
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

  private find(query: string, limit: number, meaning?: QueryMeaning): Promise<Found<FoundChunk>> {
    const store = this.opened();
    return this.guardedAsync(() => new Lookup(store, this.meaningOf(), this.files).find(query, limit, meaning));
  }

  private async guardedAsync<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  private guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  /** Turns what work on the index threw into an `IndexError`. A damaged index is deleted, so that the next look makes it anew. */
  private failureOf(error: unknown): IndexError {
    const failure = indexErrorOf(error);
    if (failure.code === 'full') this.isFull = true;
    if (failure.code === 'broken' && this.isWriter) {
      this.forget();
      deleteIndex(this.file);
      this.isComplete = false;
    }
    return failure;
  }
}

function isSame(known: StoredFile, stamp: Stamp): boolean {
  return known.size === stamp.size && known.mtime === stamp.mtime && known.ctime === stamp.ctime;
}
