import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { BlockThread, type CompressedBlock } from '../../../src/services/checkpoint/engine/objects/blockThread';
import { blockContentLength } from '../../../src/services/checkpoint/engine/objects/packFormat';
import { EngineBench } from './support/engineBench';
import { seededBytes } from './support/seededBytes';

const randomBytes = seededBytes();

const blockWorkerPath = path.join(__dirname, '../../../src/services/checkpoint/engine/blockWorker.js');
const lines = (seed: number, length: number) =>
  Buffer.from(`line ${seed} of many that are much alike\n`.repeat(length)).subarray(0, length);

describe('BlockThread', () => {
  /** Offers `count` blocks to the thread. Returns the accepted blocks and their results. Does not compress rejected blocks itself. */
  function through(
    thread: BlockThread<number>,
    count: number,
  ): { accepted: Map<number, Buffer>; back: Map<number, Buffer | null> } {
    const accepted = new Map<number, Buffer>();
    const back = new Map<number, Buffer | null>();
    const keep = ({ objects, content, compressed }: CompressedBlock<number>) => {
      const id = objects[0] ?? -1;
      assert.ok(!back.has(id), 'each comes back once');
      assert.ok(accepted.get(id)?.equals(content), `the content of ${id}`);
      back.set(id, compressed && zstdDecompressSync(compressed));
    };
    for (let id = 0; id < count; id += 1) {
      for (const block of thread.done()) keep(block);
      const content =
        id % 5 === 4 ? randomBytes(2_000 + id) : lines(id, blockContentLength + ((id * 7_919) % blockContentLength));
      if (thread.offer([id], content)) accepted.set(id, content);
    }
    for (const block of thread.rest()) keep(block);
    return { accepted, back };
  }

  it('gives back each block that it took, compressed, or as it is where that is no smaller', () => {
    const thread = new BlockThread<number>(blockWorkerPath);
    thread.start();
    const { accepted, back } = through(thread, 60);
    thread.stop();
    assert.ok(accepted.size >= 8);
    assert.deepEqual([...back.keys()].sort(), [...accepted.keys()].sort());
    for (const [id, content] of back) assert.ok(content === null ? id % 5 === 4 : accepted.get(id)?.equals(content));
    assert.deepEqual([...thread.done(), ...thread.rest()], []);
  });

  it('does the work itself where there is no such thread', () => {
    const thread = new BlockThread<number>(path.join(__dirname, 'nothing.js'));
    thread.start();
    const { accepted, back } = through(thread, 20);
    assert.deepEqual([accepted.size, back.size], [8, 8]);
    thread.stop();
  });

  it('takes nothing before it is worth starting, nor what is longer than a block', () => {
    const thread = new BlockThread<number>(blockWorkerPath);
    assert.equal(thread.offer([1], lines(1, 1_000)), false);
    for (let offered = 0; offered < 32; offered += 1) assert.equal(thread.offer([1], lines(1, blockContentLength)), false);
    assert.equal(thread.offer([1], lines(1, 2 * blockContentLength + 1)), false);
    assert.equal(thread.offer([1], lines(1, blockContentLength)), true);
    thread.stop();
    assert.equal(thread.offer([1], lines(1, 1_000)), false);
  });
});

describe('a checkpoint with a thread for its blocks', () => {
  let bench: EngineBench;
  beforeEach(() => (bench = new EngineBench()));
  afterEach(() => bench.clean());

  it('stores all of it, and the next one after a failure too', () => {
    bench.blockThreadPath = blockWorkerPath;
    bench.reopen();
    const names = Array.from({ length: 120 }, (_, index) => `folder${index % 7}/file${index}`);
    for (const [index, name] of names.entries()) bench.write(name, index % 3 === 0 ? randomBytes(90_000) : lines(index, 90_000));
    bench.faulty.arm(40, 'EIO', ['write']);
    assert.throws(() => bench.checkpoint('Fails'), { code: 'EIO' });
    bench.faulty.arm(0, 'EIO');
    const id = bench.checkpoint('All of it');
    for (const name of names) {
      const stored = Buffer.from(bench.engine.checkpoints.fileAt(id, bench.root, name) ?? []);
      assert.ok(stored.equals(readFileSync(bench.at(name))), name);
    }
    const { objects, problems } = bench.engine.care.verify();
    assert.deepEqual([objects, problems], [names.length, []]);
  });
});
