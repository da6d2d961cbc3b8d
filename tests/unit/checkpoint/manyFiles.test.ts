import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { SyncThread } from '../../../src/services/checkpoint/engine/syncThread';
import { EngineBench, treeOf } from './support/engineBench';

const script = path.join(__dirname, 'processes', 'fewDescriptors.js');
const syncWorkerPath = path.join(__dirname, '../../../src/services/checkpoint/engine/syncWorker.js');
const fileCount = 3_000;

describe('a restore of very many files', () => {
  it('does with as few open files as a system may allow', async function () {
    if (process.platform === 'win32') return this.skip();
    const bench = new EngineBench();
    try {
      for (let file = 0; file < fileCount; file += 1) bench.write(`folder${file % 40}/file${file}`, `content ${file}`);
      const checkpoint = bench.checkpoint('Many');
      const then = treeOf(bench.root);
      for (const name of readdirSync(bench.root)) rmSync(bench.at(name), { recursive: true });
      bench.engine.dispose();
      const command = `ulimit -n 256 && exec "$0" "$@"`;
      const given = [script, bench.storage, bench.root, checkpoint, syncWorkerPath];
      const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, ...given]);
      bench.engine = bench.opened();
      const { done, most } = JSON.parse(stdout) as { done: number; most: number | null };
      assert.equal(done, fileCount);
      assert.deepEqual(treeOf(bench.root), then);
      // One group of files, files that another thread syncs, and the descriptors that every process has.
      assert.ok(most === null || most < 150, `${most} open files`);
    } finally {
      bench.clean();
    }
  });
});

describe('the thread that makes files durable', () => {
  it('opens each of the files it is told of, closes it, and ends', async () => {
    const bench = new EngineBench();
    try {
      const files = Array.from({ length: 200 }, (_, file) => bench.at(`file${file}`));
      for (const [index, file] of files.entries()) if (index % 5 > 0) bench.write(path.basename(file), `${index}`);
      const thread = new SyncThread(syncWorkerPath);
      thread.begin(files);
      const { worker } = thread as unknown as { worker: { once(event: 'exit', then: (code: number) => void): void } };
      const ended = new Promise<number>((resolve) => worker.once('exit', resolve));
      thread.stop();
      assert.equal(await ended, 0);
      assert.deepEqual(openedBelow(bench.root), []);
    } finally {
      bench.clean();
    }
  });
});

describe('the thread for the files of the next restore', () => {
  it('starts once for as many files as are worth it', () => {
    const thread = new SyncThread(syncWorkerPath);
    const started = thread as unknown as { worker: object | null };
    thread.expect(3);
    assert.equal(started.worker, null);
    thread.expect(60);
    const { worker } = started;
    assert.ok(worker);
    thread.begin([]);
    thread.expect(60);
    assert.equal(started.worker, worker);
    thread.stop();
  });
});

/** Returns the files below a folder that this process has open, if the system lists them. */
function openedBelow(folder: string): string[] {
  const list = '/proc/self/fd';
  if (!existsSync(list)) return [];
  const targets = readdirSync(list).map((opened) => readlinkIfThere(path.join(list, opened)));
  return targets.filter((target) => target.startsWith(folder));
}

function readlinkIfThere(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
