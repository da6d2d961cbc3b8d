import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FileWriter } from '../../../src/services/checkpoint/engine/restore/fileWriter';
import { BlockedError } from '../../../src/services/checkpoint/engine/restore/pathState';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';

describe('A file that a restore writes', () => {
  let root: string;
  let elsewhere: string;
  let writer: FileWriter;
  const state = { kind: 1 as const, mode: 0o644, hash: '', size: 3, flags: 0 };
  beforeEach(() => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-writer-'));
    root = path.join(folder, 'work');
    elsewhere = path.join(folder, 'elsewhere');
    mkdirSync(path.join(root, 'src'), { recursive: true });
    writer = new FileWriter(nodeFileSystem, 'mark');
  });
  afterEach(() => rmSync(path.dirname(root), { recursive: true, force: true }));

  it('follows no link that took the place of its folder after it was prepared', () => {
    const file = path.join(root, 'src', 'a.ts');
    writer.prepare(root, file, state, Buffer.from('new'));
    writer.syncPrepared();
    renameSync(path.join(root, 'src'), elsewhere);
    writeFileSync(path.join(elsewhere, 'a.ts'), 'theirs');
    symlinkSync(elsewhere, path.join(root, 'src'), 'junction');
    assert.throws(() => writer.write(root, file, state, () => Buffer.from('new')), BlockedError);
    assert.equal(readFileSync(path.join(elsewhere, 'a.ts'), 'utf8'), 'theirs');
  });

  // Windows has no named pipes in folders.
  if (process.platform !== 'win32') {
    it('does not replace a pipe that came after it was prepared', () => {
      const file = path.join(root, 'src', 'a.ts');
      writer.prepare(root, file, state, Buffer.from('new'));
      writer.syncPrepared();
      execFileSync('mkfifo', [file]);
      assert.throws(() => writer.write(root, file, state, () => Buffer.from('new')), BlockedError);
      assert.deepEqual([lstatSync(file).isFIFO(), readdirSync(path.dirname(file))], [true, ['a.ts']]);
    });
  }

  it('may replace a file of the same size and mode, and no other', () => {
    const file = path.join(root, 'src', 'a.ts');
    const link = path.join(root, 'src', 'link');
    const may = (from: typeof state | null, at = file) => writer.maybe(root, at, from);
    assert.deepEqual([may(null), may(state), may(null, path.join(root, 'gone', 'a.ts'))], [true, false, true]);
    writeFileSync(file, 'old');
    const { mode } = statSync(file);
    const there = { ...state, mode: mode & 0o777 };
    assert.deepEqual([may(there), may(null), may({ ...there, size: 4 })], [true, false, false]);
    assert.deepEqual([may(null, path.join(root, 'src')), may(there, path.join(root, 'src'))], [true, false]);
    symlinkSync(elsewhere, link, 'junction');
    assert.deepEqual([may(there, link), may(null, path.join(link, 'a.ts'))], [false, false]);
  });

  it('leaves nothing beside it when it was prepared and is not needed', () => {
    const file = path.join(root, 'src', 'a.ts');
    writer.prepare(root, file, state, Buffer.from('new'));
    writer.syncPrepared();
    writer.drop(root, file);
    assert.deepEqual(readdirSync(path.join(root, 'src')), []);
  });
});
