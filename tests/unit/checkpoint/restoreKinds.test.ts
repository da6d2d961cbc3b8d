import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import type { RestoreOptions } from '../../../src/services/checkpoint/engine/restore/restorePlan';
import type { RestoreStep } from '../../../src/services/checkpoint/engine/restore/restoreStep';
import type { RestoreResult } from '../../../src/services/checkpoint/engine/restore/restoreExecution';
import { EngineBench, treeOf } from './support/engineBench';

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const all: RestoreOptions = { overwrite: 'all' };
const planned = (id: string): RestoreStep[] =>
  bench.engine.restores.plan('session', { kind: 'checkpoint', id }, bench.workspace, all);
const restore = (id: string): RestoreResult =>
  bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, all);
const undo = (id: string): RestoreResult =>
  bench.engine.restores.restore('session', { kind: 'restore', id }, bench.workspace, all);
const told = (steps: readonly RestoreStep[]): string[] =>
  steps.map(({ path: file, action, reason, loses = [] }) => [file, action, reason ?? '-', ...loses].join(' '));
const outcomes = ({ steps }: RestoreResult): string[] => steps.map(({ outcome, path: file }) => `${outcome} ${file}`);

/** Windows does not support these kinds of files. */
const isPosix = process.platform !== 'win32';

if (isPosix) {
  describe('A pipe or socket in the place of a file', () => {
    const servers: Server[] = [];
    afterEach(() => {
      for (const server of servers.splice(0)) server.close();
    });
    const kinds: [string, (file: string) => void][] = [
      ['pipe', (file) => void execFileSync('mkfifo', [file])],
      [
        'socket',
        (file) => {
          // Socket paths must be short.
          const name = path.join(bench.folder(), 's');
          servers.push(createServer().listen(name));
          linkSync(name, file);
        },
      ],
    ];
    for (const [title, make] of kinds) {
      it(`stays through a restore and its undo, and the plan says so: a ${title}`, () => {
        bench.write('a', 'one');
        bench.write('d/x', 'two');
        bench.write('other', 'three');
        const first = bench.checkpoint('Files');
        rmSync(bench.at('a'));
        rmSync(bench.at('d'), { recursive: true });
        rmSync(bench.at('other'));
        make(bench.at('a'));
        make(bench.at('d'));
        const kept = [statSync(bench.at('a')).ino, statSync(bench.at('d')).ino];
        bench.checkpoint('Others');
        assert.deepEqual(told(planned(first)), ['a keep notAFile', 'd/x keep notAFile', 'other create -']);
        const result = restore(first);
        assert.deepEqual(outcomes(result), ['skipped a', 'skipped d/x', 'done other']);
        assert.deepEqual(outcomes(undo(result.operationId)), ['done other']);
        assert.deepEqual([statSync(bench.at('a')).ino, statSync(bench.at('d')).ino], kept);
      });
    }

    it('stays also where it came when the restore was planned already', () => {
      bench.write('a', 'one');
      const first = bench.checkpoint('A file');
      rmSync(bench.at('a'));
      let isMade = false;
      bench.reopen({
        // At this point, the plan is complete and the file is about to be written.
        makeFolder: () => undefined,
        open: (file, flags, mode) => {
          if (flags === 'wx' && path.dirname(file) === bench.root && !isMade) {
            isMade = true;
            execFileSync('mkfifo', [bench.at('a')]);
          }
          return bench.faulty.fileSystem.open(file, flags, mode);
        },
      });
      const [step] = restore(first).steps;
      assert.deepEqual([isMade, step?.outcome, lstatSync(bench.at('a')).isFIFO()], [true, 'changed', true]);
      assert.deepEqual(readdirSync(bench.root), ['a']);
    });
  });

  describe('What a file is besides its content', () => {
    /** Returns a group that this process may assign to files. */
    const group = (): number =>
      process.getgroups?.().find((one) => one !== process.getgid?.()) ??
      (process.getuid?.() === 0 ? 1 : (process.getgid?.() ?? 0));
    const ownerOf = (file: string) => {
      const { uid, gid, mode } = statSync(bench.at(file));
      return [uid, gid, (mode & 0o7777).toString(8)];
    };

    it('keeps its owner, group and special bits where a restore writes it or changes its mode, and where both are undone', () => {
      for (const file of ['a', 'b']) {
        bench.write(file, 'one');
        chownSync(bench.at(file), process.getuid?.() ?? 0, group());
        chmodSync(bench.at(file), 0o2755);
      }
      const before = ownerOf('a');
      const first = bench.checkpoint('One');
      writeFileSync(bench.at('a'), 'two');
      chmodSync(bench.at('a'), 0o2755);
      chmodSync(bench.at('b'), 0o2700);
      const changedA = ownerOf('a');
      const changedB = ownerOf('b');
      bench.checkpoint('Two');
      assert.deepEqual(told(planned(first)), ['a write -', 'b write -']);
      const result = restore(first);
      assert.deepEqual([ownerOf('a'), ownerOf('b'), treeOf(bench.root)['a']], [before, before, '755 one']);
      undo(result.operationId);
      assert.deepEqual([ownerOf('a'), ownerOf('b')], [changedA, changedB]);
    });

    it('is left as it is under its other names, inside and outside of the workspace, and the plan tells', () => {
      const elsewhere = path.join(bench.folder(), 'other');
      bench.write('a', 'one', 0o755);
      bench.write('b', 'one', 0o755);
      bench.write('c', 'one');
      const first = bench.checkpoint('One');
      bench.write('a', 'two', 0o755);
      bench.write('new', 'came');
      chmodSync(bench.at('b'), 0o644);
      linkSync(bench.at('a'), path.join(bench.folder(), 'name'));
      linkSync(bench.at('b'), elsewhere);
      linkSync(bench.at('new'), path.join(bench.folder(), 'name'));
      const inode = statSync(bench.at('b')).ino;
      const other = statSync(elsewhere);
      bench.checkpoint('Two');
      assert.deepEqual(told(planned(first)), ['a write - links', 'b write - links', 'new delete - links']);
      const result = restore(first);
      assert.deepEqual(outcomes(result), ['done a', 'done b', 'done new']);
      assert.notEqual(statSync(bench.at('b')).ino, inode);
      assert.deepEqual([statSync(bench.at('b')).mode & 0o777, statSync(elsewhere).mode], [0o755, other.mode]);
      assert.deepEqual([statSync(elsewhere).ino, readFileSync(elsewhere, 'utf8')], [inode, 'one']);
      assert.deepEqual(told(undo(result.operationId).steps), ['a write -', 'b write -', 'new create -']);
      assert.deepEqual(treeOf(bench.root), { a: '755 two', b: '644 one', c: '644 one', new: '644 came' });
    });

    it('names empty folders that a file takes the place of', () => {
      bench.write('a', 'one');
      bench.write('b', 'one');
      const first = bench.checkpoint('Files');
      for (const file of ['a', 'b']) rmSync(bench.at(file));
      mkdirSync(bench.at('a/empty/inside'), { recursive: true });
      bench.write('b/x', 'two');
      bench.checkpoint('Folders');
      assert.deepEqual(told(planned(first)), ['a create - emptyFolder', 'b create -', 'b/x delete -']);
      restore(first);
      assert.ok(existsSync(bench.at('a')) && statSync(bench.at('a')).isFile());
    });
  });
}
