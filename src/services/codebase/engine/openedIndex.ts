import type { IndexedRoot } from '../codebaseProtocol';
import type { LanceState } from '../vectors/vectorStore';
import type { LanceTables } from '../lance/port';
import {
  deleteIndex,
  toIndexError,
  noteEmbedded,
  openIndex,
  sizeOfIndex,
  wasEmbedded,
  WriterLock,
  type IndexError,
} from './indexFile';
import { IndexStore } from './indexStore';
import { Meaning } from './meaning';

/**
 * Opens the index of one root on demand, for writing if this window has the lock. A damaged index is deleted and rebuilt without
 * vectors. Embedding can take hours, so the user decides when to embed again.
 */
export class OpenedIndex {
  isWriter = false;
  /** True if the index has reached its maximum size or the disk is full. */
  isFull = false;
  /** True if the index was damaged and deleted, and the files have not been indexed since. */
  isLost = false;
  private readonly lock: WriterLock;
  private store: IndexStore | null = null;
  private meaning: Meaning | null = null;

  constructor(
    private readonly file: string,
    public root: IndexedRoot,
    private readonly lance: LanceTables | null,
  ) {
    this.lock = new WriterLock(file);
  }

  /** Tables of the open index. Null if the index is not open. */
  get current(): IndexStore | null {
    return this.store;
  }

  get lanceState(): LanceState | null {
    return this.root.isLance === true && this.lance !== null ? { trouble: this.lance.trouble } : null;
  }

  /** Returns the tables and opens the index if needed. Throws `IndexError`. */
  opened(): IndexStore {
    const mayWrite = this.isWriter || this.lock.take();
    if (mayWrite !== this.isWriter) this.forget();
    this.store ??= new IndexStore(openIndex(this.file, mayWrite));
    this.isWriter = mayWrite;
    return this.store;
  }

  getMeaning(): Meaning {
    const { database } = this.opened();
    const options = { isUsed: this.root.isLance === true, mayWrite: () => this.isWriter };
    return (this.meaning ??= new Meaning(database, this.lance?.mirror(database, options), (error) => this.noteUnreadable(error)));
  }

  /** Prepares embedding with a model. Deletes the vectors of any other model. */
  async useModel(model: string): Promise<void> {
    await this.guardedAsync(() => this.getMeaning().useModel(model));
    noteEmbedded(this.file, true);
  }

  /** Returns whether vectors were lost through damage and the user has not rebuilt the index since. */
  hasLostVectors(): boolean {
    if (!wasEmbedded(this.file)) return false;
    return this.store === null ? this.isLost : this.guarded(() => this.getMeaning().model()) === null;
  }

  /** Returns the size on disk, in bytes. */
  async bytes(): Promise<number> {
    return sizeOfIndex(this.file) + ((await this.lance?.size()) ?? 0);
  }

  /** Deletes the index. Resolves with false if another window maintains it. */
  async remove(): Promise<boolean> {
    if (!this.lock.take()) return false;
    await this.meaning?.close();
    this.forget();
    noteEmbedded(this.file, false);
    deleteIndex(this.file);
    await this.lance?.remove();
    return true;
  }

  async close(): Promise<void> {
    await this.meaning?.close();
    this.forget();
    this.lock.release();
  }

  forgetMeaning(): void {
    void this.meaning?.close();
    this.meaning = null;
  }

  /** Runs `work` and converts its errors. Throws `IndexError`. */
  guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.toFailure(error);
    }
  }

  async guardedAsync<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.toFailure(error);
    }
  }

  private forget(): void {
    this.store?.database.close();
    this.store = null;
    this.forgetMeaning();
  }

  /** Marks the vectors as lost if only they are damaged. Word search keeps working. */
  private noteUnreadable(error: unknown): void {
    if (this.isWriter && toIndexError(error).code === 'broken') this.guarded(() => this.meaning?.markLost());
  }

  /** Converts an error to an `IndexError`, and deletes a damaged index. */
  private toFailure(error: unknown): IndexError {
    const failure = toIndexError(error);
    if (failure.code === 'full') this.isFull = true;
    if (failure.code === 'broken' && this.isWriter) {
      this.forget();
      deleteIndex(this.file);
      this.isLost = true;
    }
    return failure;
  }
}
