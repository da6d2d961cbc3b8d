import { Worker } from 'node:worker_threads';
import { blockContentLength, compress } from './packFormat';

/** Content of a block and its compressed form. `compressed` is null if compression saves no space. */
export interface CompressedBlock<T> {
  objects: T[];
  content: Uint8Array;
  compressed: Uint8Array | null;
}

/** `workerData` of the compression thread. */
export interface BlockThreadData {
  blocks: { control: Int32Array<SharedArrayBuffer>; content: Uint8Array<SharedArrayBuffer> };
}

const slots = 8;
/** Slot size in bytes. A block exceeds its target length by at most its last object. */
const slotLength = 2 * blockContentLength;
const states = { free: 0, waiting: 1, working: 2, done: 3 } as const;
/** Offset of the content lengths in `control`. Before them is the state of each slot. */
const lengthAt = slots;
/** Offset of the compressed lengths in `control`. A length is 0 if the compressed content is not smaller. */
const compressedAt = 2 * slots;
/** Offset of the wake-up counter in `control`. */
const signalAt = 3 * slots;
/** Offset of the stop flag in `control`. */
const stopAt = 3 * slots + 1;
/**
 * Number of bytes to compress before the thread starts. Compressing them takes as long as starting the thread. A batch this long
 * is likely to continue.
 */
const startThreshold = 4 * 1024 * 1024;
const hungMs = 5_000;

/**
 * Compresses blocks in another thread while this thread reads files. This thread compresses the blocks that the other thread has
 * not begun. A busy or failed thread therefore causes no delay. Blocks are returned in any order.
 */
export class BlockThread<T> {
  private worker: Worker | null = null;
  private shared: BlockThreadData['blocks'] | null = null;
  private readonly objects: T[][] = [];
  private refused = 0;

  /** `path` is the path of a script that calls `serveBlocks` with its `workerData`. */
  constructor(private readonly path: string) {}

  /** Starts the thread now instead of after `startThreshold` bytes. */
  start(): void {
    if (this.worker !== null) return;
    this.shared ??= {
      control: new Int32Array(new SharedArrayBuffer(4 * (3 * slots + 2))),
      content: new Uint8Array(new SharedArrayBuffer(2 * slots * slotLength)),
    };
    this.shared.control.fill(0);
    const workerData: BlockThreadData = { blocks: this.shared };
    this.worker = new Worker(this.path, { workerData, name: 'blocks', execArgv: [] });
    // If the thread fails, this thread compresses its blocks.
    this.worker.on('error', () => undefined);
    this.worker.unref();
  }

  /** Copies the content into a free slot. Returns false if the caller must compress it. */
  offer(objects: T[], content: Uint8Array): boolean {
    const slot = content.length > slotLength ? -1 : this.freeSlot();
    if (slot < 0 || this.shared === null) {
      this.refused += content.length;
      if (this.refused >= startThreshold) this.start();
      return false;
    }
    const { control } = this.shared;
    this.objects[slot] = objects;
    inputView(this.shared, slot, content.length).set(content);
    control[lengthAt + slot] = content.length;
    Atomics.store(control, slot, states.waiting);
    Atomics.add(control, signalAt, 1);
    Atomics.notify(control, signalAt);
    return true;
  }

  /** Yields the finished blocks. Their memory is valid until the next `offer`. */
  *done(): Generator<CompressedBlock<T>> {
    for (let slot = 0; slot < slots; slot += 1) if (this.readState(slot) === states.done) yield this.collect(slot);
  }

  /** Yields all blocks that were offered and not yet yielded. Compresses blocks that the thread has not begun. */
  *rest(): Generator<CompressedBlock<T>> {
    for (let slot = slots - 1; slot >= 0; slot -= 1) {
      const control = this.shared?.control;
      if (control === undefined || this.readState(slot) === states.free) continue;
      const isMine = Atomics.compareExchange(control, slot, states.waiting, states.working) === states.waiting;
      if (!isMine) Atomics.wait(control, slot, states.working, hungMs);
      yield this.readState(slot) === states.done ? this.collect(slot) : this.finishHere(slot);
    }
  }

  /** Stops the thread and drops unfinished blocks. */
  stop(): void {
    this.refused = 0;
    if (this.worker === null || this.shared === null) return;
    Atomics.store(this.shared.control, stopAt, 1);
    Atomics.add(this.shared.control, signalAt, 1);
    Atomics.notify(this.shared.control, signalAt);
    // A new thread must not share memory with the old one, which may still be working.
    this.shared = null;
    this.worker = null;
  }

  private freeSlot(): number {
    for (let slot = 0; this.worker !== null && slot < slots; slot += 1) if (this.readState(slot) === states.free) return slot;
    return -1;
  }

  private readState(slot: number): number {
    return this.shared === null ? states.free : Atomics.load(this.shared.control, slot);
  }

  private collect(slot: number): CompressedBlock<T> {
    const { control } = this.shared as BlockThreadData['blocks'];
    const length = control[compressedAt + slot] ?? 0;
    const compressed = length === 0 ? null : outputView(this.shared as BlockThreadData['blocks'], slot, length);
    return this.freed(slot, compressed);
  }

  private finishHere(slot: number): CompressedBlock<T> {
    const shared = this.shared as BlockThreadData['blocks'];
    return this.freed(slot, compress(inputView(shared, slot, shared.control[lengthAt + slot] ?? 0)));
  }

  private freed(slot: number, compressed: Uint8Array | null): CompressedBlock<T> {
    const shared = this.shared as BlockThreadData['blocks'];
    const content = inputView(shared, slot, shared.control[lengthAt + slot] ?? 0);
    Atomics.store(shared.control, slot, states.free);
    return { objects: this.objects[slot] ?? [], content, compressed };
  }
}

/** Compresses blocks until the thread is stopped. */
export function serveBlocks({ blocks }: BlockThreadData): void {
  const { control } = blocks;
  for (;;) {
    const signal = Atomics.load(control, signalAt);
    if (Atomics.load(control, stopAt) !== 0) return;
    let slot = 0;
    while (slot < slots && Atomics.compareExchange(control, slot, states.waiting, states.working) !== states.waiting) slot += 1;
    if (slot === slots) {
      Atomics.wait(control, signalAt, signal);
      continue;
    }
    const compressed = compress(inputView(blocks, slot, control[lengthAt + slot] ?? 0));
    if (compressed !== null) outputView(blocks, slot, compressed.length).set(compressed);
    control[compressedAt + slot] = compressed?.length ?? 0;
    Atomics.store(control, slot, states.done);
    Atomics.notify(control, slot);
  }
}

function inputView({ content }: BlockThreadData['blocks'], slot: number, length: number): Uint8Array<SharedArrayBuffer> {
  return content.subarray(2 * slot * slotLength, 2 * slot * slotLength + length);
}

/** Returns the memory for a slot's result, which is smaller than its content. */
function outputView({ content }: BlockThreadData['blocks'], slot: number, length: number): Uint8Array<SharedArrayBuffer> {
  return content.subarray((2 * slot + 1) * slotLength, (2 * slot + 1) * slotLength + length);
}
