import type { IndexedRoot } from '../codebaseProtocol';
import type { LanceState } from '../vectors/vectorStore';
import type { LanceTables } from '../lance/port';
import {
  deleteIndex,
  indexErrorOf,
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
 * Opens the index of one root when it is needed, for writing where this window holds the lock. An index that turns out damaged is deleted
 * and made anew without vectors: embedding takes the server hours, so a person decides about that.
 */
export class OpenedIndex {
  isWriter = false;
  /** True where the index is as large as it may be, or the disk is full. */
  isFull = false;
  /** True where the index was damaged and deleted, and nobody has looked at the files since. */
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

  /** Tables of the open index; null where none is open. */
  get current(): IndexStore | null {
    return this.store;
  }

  /** Null where LanceDB is not chosen. */
  get lanceState(): LanceState | null {
    return this.root.isLance === true && this.lance !== null ? { trouble: this.lance.trouble } : null;
  }

  /** Throws `IndexError`. */
  opened(): IndexStore {
    const mayWrite = this.isWriter || this.lock.take();
    if (mayWrite !== this.isWriter) this.forget();
    this.store ??= new IndexStore(openIndex(this.file, mayWrite));
    this.isWriter = mayWrite;
    return this.store;
  }

  meaningOf(): Meaning {
    const { database } = this.opened();
    const options = { isUsed: this.root.isLance === true, mayWrite: () => this.isWriter };
    return (this.meaning ??= new Meaning(database, this.lance?.mirror(database, options), (error) => this.noteUnreadable(error)));
  }

  /** Makes ready to embed by a model: vectors of another one go. */
  async begin(model: string): Promise<void> {
    await this.guardedAsync(() => this.meaningOf().begin(model));
    noteEmbedded(this.file, true);
  }

  /** Tells whether there were vectors that damage has taken, and no person has had the index made anew since. */
  hasLostVectors(): boolean {
    if (!wasEmbedded(this.file)) return false;
    return this.store === null ? this.isLost : this.guarded(() => this.meaningOf().model()) === null;
  }

  /** Returns bytes on the disk. */
  async bytes(): Promise<number> {
    return sizeOfIndex(this.file) + ((await this.lance?.size()) ?? 0);
  }

  /** Deletes the index; resolves with false where another window keeps it. */
  async remove(): Promise<boolean> {
    if (!this.lock.take()) return false;
    await this.meaning?.close();
    this.forget();
    deleteIndex(this.file);
    noteEmbedded(this.file, false);
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

  /** Does work on the index. Throws `IndexError`. */
  guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  async guardedAsync<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  private forget(): void {
    this.store?.database.close();
    this.store = null;
    this.forgetMeaning();
  }

  /** Words go on where only the vectors are damaged. */
  private noteUnreadable(error: unknown): void {
    if (this.isWriter && indexErrorOf(error).code === 'broken') this.guarded(() => this.meaning?.giveUp());
  }

  /** Turns what work on the index threw into an `IndexError`. */
  private failureOf(error: unknown): IndexError {
    const failure = indexErrorOf(error);
    if (failure.code === 'full') this.isFull = true;
    if (failure.code === 'broken' && this.isWriter) {
      this.forget();
      deleteIndex(this.file);
      this.isLost = true;
    }
    return failure;
  }
}
