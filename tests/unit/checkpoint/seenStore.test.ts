import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import { EngineBench } from './support/engineBench';

/** Waits until later writes can no longer have the same timestamp. */
// eslint-disable-next-line waits/long -- 100 ms is the coarsest clock of a file system that the scan allows for.
const settled = () => delay(120);

describe('what was seen by an earlier process', () => {
  let bench: EngineBench;
  let read: string[];
  beforeEach(async () => {
    bench = new EngineBench();
    for (const name of ['a', 'b', 'folder/c', 'folder/d']) bench.write(name, `content of ${name}`);
    symlinkSync('a', bench.at('link'));
    // Makes the files so old that writes through a memory map can be ruled out.
    bench.settle();
    await settled();
    bench.checkpoint('First');
  });
  afterEach(() => bench.clean());

  /** Restarts the engine. From then on, `read` collects the workspace files that are read. */
  function startAgain(): void {
    read = [];
    bench.reopen({
      open: (file, flags, mode) => {
        if (file.startsWith(bench.root)) read.push(path.relative(bench.root, file).replaceAll('\\', '/'));
        return nodeFileSystem.open(file, flags, mode);
      },
    });
  }

  const texts = (id: string) => ['a', 'b', 'folder/c', 'folder/d'].map((name) => bench.textAt(id, name));
  const theList = () => {
    const folder = path.join(bench.storage, 'seen');
    const [name = ''] = readdirSync(folder);
    return path.join(folder, name);
  };

  it('is not read again, and what has changed since is', async () => {
    startAgain();
    const second = bench.checkpoint('Second');
    assert.deepEqual(read, []);
    assert.deepEqual(texts(second), ['content of a', 'content of b', 'content of folder/c', 'content of folder/d']);
    // Before and after the restart, `b` has the same size and time.
    const past = new Date(1_600_000_000_000);
    utimesSync(bench.at('b'), past, past);
    await settled();
    bench.checkpoint('Third');
    startAgain();
    writeFileSync(bench.at('b'), 'CONTENT of b');
    utimesSync(bench.at('b'), past, past);
    rmSync(bench.at('folder/d'));
    bench.write('folder/e', 'new');
    const fourth = bench.checkpoint('Fourth');
    assert.deepEqual(read.sort(), ['b', 'folder/e']);
    assert.deepEqual(texts(fourth), ['content of a', 'CONTENT of b', 'content of folder/c', null]);
    assert.equal(bench.textAt(fourth, 'folder/e'), 'new');
  });

  it('is read again where it was written just before it was seen', () => {
    const now = Date.now();
    bench.clock.now = () => now;
    bench.write('a', 'short ago');
    bench.checkpoint('Second');
    startAgain();
    bench.checkpoint('Third');
    assert.deepEqual(read, ['a']);
  });

  it('is stored again where its content is gone', () => {
    bench.engine.dispose();
    bench.rows('DELETE FROM approved_states');
    bench.rows('UPDATE checkpoints SET manifest_id = NULL, state = ?', 'failed');
    bench.rows('DELETE FROM manifests');
    bench.rows('DELETE FROM snapshot_objects');
    bench.rows('UPDATE snapshot_packs SET length = 0');
    bench.engine = bench.opened();
    const id = bench.checkpoint('All of it');
    assert.deepEqual(texts(id), ['content of a', 'content of b', 'content of folder/c', 'content of folder/d']);
    assert.equal(Buffer.from(bench.engine.checkpoints.fileAt(id, bench.root, 'link') ?? []).toString(), 'a');
    assert.deepEqual(bench.engine.care.verify().problems, []);
  });

  it('is nothing where the list of it is damaged, of another folder, or cannot be written', () => {
    startAgain();
    const list = readFileSync(theList());
    const damaged = Buffer.from(list);
    const at = list.indexOf('"', 200) + 10;
    damaged[at] = (damaged[at] as number) ^ 1;
    const ways = [Buffer.alloc(0), list.subarray(0, 70), damaged, Buffer.from('nonsense')];
    for (const content of ways) {
      writeFileSync(theList(), content);
      startAgain();
      // Closing the engine wrote nothing, because nothing was new.
      assert.ok(readFileSync(theList()).equals(content));
      bench.checkpoint('Again');
      assert.deepEqual(read.sort(), ['a', 'b', 'folder/c', 'folder/d']);
      startAgain();
      bench.checkpoint('And again');
      assert.deepEqual(read, [], 'it is written anew');
    }
    bench.write('a', 'changed');
    bench.checkpoint('Changed');
    bench.faulty.arm(1, 'EIO', ['rename']);
    startAgain();
    assert.deepEqual(texts(bench.checkpoint('Last')).slice(0, 1), ['changed']);
  });
});
