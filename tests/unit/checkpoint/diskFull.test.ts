import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CheckpointEngine } from '../../../src/services/checkpoint/engine/checkpointEngine';
import type { DatabaseSync } from '../../../src/services/database/sqlite/sqlite';
import { StorageError, toStorageError } from '../../../src/services/database/sqlite/storageError';
import { createOwner } from '../../../src/services/database/sessions/windowOwner';
import { systemClock } from '../../../src/utils/clock';
import { userInput, Workbench } from '../database/support/stores';
import { EngineBench, treeOf } from './support/engineBench';
import { IndependentStorage } from './support/independentStorage';
import { PowerCut } from './support/powerLoss';
import { byteLimit, canMount, mountSmallDisk, pageLimit, type SmallDisk } from './support/smallDisk';
import { seededBytes } from './support/seededBytes';

const randomBytes = seededBytes();

/** Returns true if the user is informed that the disk is full. */
const isFull = (error: unknown): boolean => {
  const told = toStorageError(error);
  assert.ok(told instanceof StorageError, String(error));
  assert.equal(told.userMessage, 'The disk with the chat history is full. Free up disk space, then try again.');
  return told.code === 'full';
};

/** Returns the engine's connection, so that tests can limit its pages. */
function connectionOf(engine: CheckpointEngine): DatabaseSync {
  return (engine as unknown as { database: DatabaseSync }).database;
}

const disks: [string, (databases: () => DatabaseSync[]) => SmallDisk][] = [
  ['by the pages of a database', pageLimit],
  ['that takes no more bytes', byteLimit],
];
// Mounting requires privileges.
if (canMount()) disks.push(['on a small file system', () => mountSmallDisk() as SmallDisk]);
else process.stderr.write('Not tested, because mount is refused: a disk that is full (on a small file system)\n');

for (const [name, make] of disks) {
  describe(`a disk that is full (${name})`, () => {
    it('refuses what does not fit in its own words, loses nothing, and goes on when there is room', async () => {
      const stores = new Workbench();
      const engines: CheckpointEngine[] = [];
      const connections: DatabaseSync[] = [];
      const disk = make(() => connections);
      const root = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-workspace-'));
      const workspace = { roots: [root], exclude: [], maxFileBytes: 10_000_000 };
      try {
        const { connection, log } = await stores.parts(disk.folder);
        await connection.write(() =>
          connection
            .statement("INSERT INTO sessions (id, title, mode, created_at, updated_at) VALUES ('session', '', 'agent', 0, 0)")
            .run(),
        );
        connections.push((connection as unknown as { database: DatabaseSync }).database);
        const environment = { home: root, configHome: root, systemConfig: path.join(root, 'none') };
        const engine = new CheckpointEngine({
          directory: disk.folder,
          owner: createOwner(),
          environment,
          fileSystem: disk.fileSystem,
          clock: systemClock,
          isCancelled: () => false,
        });
        engines.push(engine);
        connections.push(connectionOf(engine));
        mkdirSync(path.join(root, 'folder'));
        for (let file = 0; file < 20; file += 1) writeFileSync(path.join(root, 'folder', `file${file}`), randomBytes(200));
        const first = engine.checkpoints.takeNow('session', 'manual', 'First', workspace).at(-1)?.id ?? '';
        const files = engine.checkpoints.files(first);
        for (let index = 0; index < 3; index += 1) await log.append('session', userInput(`note ${index}`));

        disk.fill();
        for (let file = 0; file < 200; file += 1) writeFileSync(path.join(root, `new${file}`), randomBytes(2_000));
        await assert.rejects(log.append('session', userInput('x'.repeat(300_000))), isFull);
        assert.throws(() => engine.checkpoints.takeNow('session', 'manual', 'Full', workspace), isFull);
        const there = treeOf(root);
        assert.throws(
          () => engine.restores.restore('session', { kind: 'checkpoint', id: first }, workspace, { overwrite: 'all' }),
          isFull,
        );
        assert.throws(() => engine.approvals.approve('session', workspace, null), isFull);
        assert.throws(() => engine.restores.restore('session', { kind: 'approved' }, workspace, { overwrite: 'all' }), isFull);
        assert.deepEqual(treeOf(root), there);
        assert.equal((await log.read('session', 0)).entries.length, 3);
        assert.deepEqual(engine.checkpoints.files(first), files);
        assert.deepEqual(engine.care.verify().problems, []);

        disk.free();
        const entry = await log.append('session', userInput('after'));
        assert.equal(entry.seq, 4);
        const second = engine.checkpoints.takeNow('session', 'manual', 'Room', workspace).at(-1)?.id ?? '';
        assert.equal(engine.checkpoints.files(second).length, 220);
        engine.restores.restore('session', { kind: 'checkpoint', id: first }, workspace, { overwrite: 'all' });
        assert.equal(engine.checkpoints.takeNow('session', 'manual', 'Restored', workspace).length, 1);
        assert.deepEqual(engine.care.verify().problems, []);
        const independent = await IndependentStorage.open(disk.folder);
        assert.deepEqual(independent.integrity(), [['ok']]);
        assert.deepEqual([...independent.entries().values()], ['note 0', 'note 1', 'note 2', 'after']);
        assert.ok(independent.checkObjects() > 200);
        independent.close();
      } finally {
        for (const engine of engines) engine.dispose();
        await stores.clean();
        disk.clean();
        rmSync(root, { recursive: true });
      }
    });
  });
}

describe('a database that is full in the middle', () => {
  it('loses nothing, at whichever page of whatever is done', () => {
    const bench = new EngineBench();
    try {
      for (let file = 0; file < 40; file += 1) bench.write(`folder/file${file}`, randomBytes(300));
      bench.write('.gitignore', 'secret*\n');
      const first = bench.checkpoint('First');
      const files = bench.everything(first);
      const all = { overwrite: 'all' } as const;
      const restore = () =>
        void bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, all);
      const cutOff = () => {
        bench.reopen({
          rename: () => {
            throw new PowerCut();
          },
        });
        bench.write('folder/file0', 'changed');
        assert.throws(restore, PowerCut);
        bench.reopen();
      };
      let gone = '';
      const works: { before?: () => void; work: () => void }[] = [
        { work: () => (gone = bench.checkpoint('Second')) },
        { work: restore },
        { work: () => void bench.engine.approvals.approve('session', bench.workspace, null) },
        { work: () => void bench.engine.restores.restore('session', { kind: 'approved' }, bench.workspace, all) },
        { before: cutOff, work: () => void bench.engine.restores.recover(bench.workspace) },
        {
          work: () => {
            for (let file = 0; file < 60; file += 1) {
              bench.write(`secret${file}`, randomBytes(3_000));
              bench.engine.checkpoints.stage('session', bench.workspace, bench.root, `secret${file}`);
            }
          },
        },
        { work: () => bench.engine.checkpoints.remove(gone) },
        { work: () => void bench.engine.care.collectGarbage() },
      ];
      let refused = 0;
      for (const { before, work } of works) {
        before?.();
        for (let file = 0; file < 300; file += 1)
          bench.write(`folder/long-name-of-a-file-that-takes-room-in-an-index-${file}`, randomBytes(50));
        for (let pages = 0, isDone = false; !isDone; pages += 3) {
          bench.limitPages(pages);
          try {
            work();
            isDone = true;
          } catch (error) {
            assert.ok(isFull(error), String(error));
            refused += 1;
          }
          bench.limitPages(null);
          assert.deepEqual(bench.engine.care.verify().problems, []);
          assert.deepEqual(bench.everything(first), files);
        }
      }
      assert.ok(refused > 6, `${refused} refused`);
    } finally {
      bench.clean();
    }
  });
});
