import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../src/utils/files/fileSystem';
import { EngineBench } from './support/engineBench';

/** Returns all attributes of each file and folder except the access time. */
function everythingIn(root: string): Map<string, string> {
  const names = readdirSync(root, { recursive: true }).map(String).sort();
  return new Map(
    ['', ...names].map((name) => {
      const file = path.join(root, name);
      const { ino, mode, size, mtimeNs, ctimeNs } = lstatSync(file, { bigint: true });
      const content = lstatSync(file).isFile() ? readFileSync(file, 'latin1') : '';
      return [name, [ino, mode, size, mtimeNs, ctimeNs, content].join(' ')];
    }),
  );
}

/** Creates a repository with many kinds of files. */
function prepare(bench: EngineBench): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: bench.root, stdio: 'ignore' });
  for (const name of ['a.txt', 'src/b.txt', 'src/c.txt', 'node_modules/d.js']) bench.write(name, `${name}\r\n`);
  bench.write('.gitignore', '.env\nnode_modules/\n');
  bench.write('run', '#!/bin/sh\n', 0o755);
  bench.write('.env', 'KEY=1');
  symlinkSync('a.txt', bench.at('link'));
  git('init', '-q');
  git('config', 'core.autocrlf', 'true');
  git('add', '-A');
  git('commit', '-q', '-m', 'First');
  mkdirSync(bench.at('nested/.git'), { recursive: true });
  writeFileSync(bench.at('nested/.git/HEAD'), 'ref: refs/heads/main\n');
  bench.write('nested/e.txt', 'e');
  bench.write('src/staged.txt', 'staged');
  git('add', 'src/staged.txt');
  bench.write('src/staged.txt', 'and changed');
}

/** Runs all store operations that do not change workspace files. Returns the first checkpoint. */
function doEverything(bench: EngineBench, fileSystem: Partial<FileSystem> = {}): string {
  const first = bench.checkpoint('First');
  bench.engine.checkpoints.stage('session', bench.workspace, bench.root, '.env');
  bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'src/b.txt');
  const second = bench.checkpoint('Second');
  bench.engine.restores.plan('session', { kind: 'checkpoint', id: first }, bench.workspace, { overwrite: 'all' });
  bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, { overwrite: 'all' });
  bench.engine.checkpoints.diff(first, second);
  bench.engine.checkpoints.diffNow(first, bench.workspace);
  bench.engine.approvals.status('session', bench.workspace);
  bench.engine.approvals.approve('session', bench.workspace, 'Approved');
  bench.engine.restores.restore('session', { kind: 'approved' }, bench.workspace, { overwrite: 'all' });
  bench.engine.checkpoints.remove(second);
  bench.rows('UPDATE snapshot_objects SET stored_at = 0');
  bench.engine.care.collectGarbage();
  bench.engine.care.verify();
  bench.reopen(fileSystem);
  bench.engine.restores.recover(bench.workspace);
  bench.checkpoint('Third');
  return first;
}

describe("the person's repository", () => {
  it('is bit by bit what it was after everything, but for the files that a restore was asked to write', () => {
    const bench = new EngineBench();
    try {
      prepare(bench);
      const before = everythingIn(bench.root);
      const first = doEverything(bench);
      assert.deepEqual(everythingIn(bench.root), before);

      bench.write('src/c.txt', 'changed');
      rmSync(bench.at('a.txt'));
      bench.write('src/new/f.txt', 'new');
      const changed = everythingIn(bench.root);
      const { operationId } = bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, {
        overwrite: 'all',
      });
      const after = everythingIn(bench.root);
      bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, { overwrite: 'all' });
      const undone = everythingIn(bench.root);
      // Files and folders that a restore changes. A folder counts if names in it change.
      const asked = new Set(['', 'src', 'a.txt', 'src/c.txt', 'src/new', 'src/new/f.txt']);
      for (const [later, earlier] of [
        [after, changed],
        [undone, changed],
        [after, before],
      ] as const) {
        const differing = [...new Set([...later.keys(), ...earlier.keys()])].filter(
          (name) => later.get(name) !== earlier.get(name),
        );
        assert.deepEqual(
          differing.filter((name) => !asked.has(name)),
          [],
        );
      }
      assert.equal(readFileSync(bench.at('src/c.txt'), 'utf8'), 'changed');
    } finally {
      bench.clean();
    }
  });

  it('is read only for its configuration, its excludes and the names in its index', () => {
    const bench = new EngineBench();
    try {
      prepare(bench);
      const read = new Set<string>();
      const reading = (['open', 'list', 'listRaw', 'readLink'] as const).map((name) => [
        name,
        (file: string, ...rest: unknown[]) => {
          const parts = path.relative(bench.root, file).split(path.sep);
          if (parts.includes('.git')) read.add(parts.join('/'));
          return (nodeFileSystem[name] as (...all: unknown[]) => unknown)(file, ...rest);
        },
      ]);
      const recording = Object.fromEntries(reading) as Partial<FileSystem>;
      bench.reopen(recording);
      const first = doEverything(bench, recording);
      bench.write('src/c.txt', 'changed');
      const { operationId } = bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, {
        overwrite: 'all',
      });
      bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, { overwrite: 'all' });
      assert.deepEqual([...read].sort(), ['.git/config', '.git/index', '.git/info/exclude']);
    } finally {
      bench.clean();
    }
  });
});
