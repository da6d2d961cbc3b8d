import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { restoreInto } from '../../../src/api/restoreInto';
import type { ApiServices } from '../../../src/api/apiPorts';

describe('Files of a checkpoint in a folder that is not the workspace', () => {
  let folder: string;
  let targetDir: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'ollama-copilot-into-')));
    targetDir = path.join(folder, 'target');
    mkdirSync(path.join(folder, 'outside'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const into = (files: readonly string[], dryRun = false) => {
    const state = { kind: 1, mode: 0o644, hash: 'any', size: 3, flags: 0 };
    const checkpoints = {
      files: async () => files.map((file) => ({ root: '/workspace', path: file, state })),
      fileAt: async () => Buffer.from('new'),
    };
    // `restoreInto` calls only these two functions.
    return restoreInto({ engine: { checkpoints } } as unknown as Pick<ApiServices, 'engine'>, 'id', { targetDir, dryRun });
  };
  it('go to a subfolder for each folder of the workspace, where there are several', async () => {
    const state = { kind: 1, mode: 0o644, hash: 'any', size: 3, flags: 0 };
    const roots = ['/one/app', '/two/App', '/lib'];
    const checkpoints = {
      files: async () => roots.map((root) => ({ root, path: 'src/a', state })),
      fileAt: async (_id: string, root: string) => Buffer.from(root),
    };
    const services = { engine: { checkpoints } } as unknown as Pick<ApiServices, 'engine'>;
    const { restoredFiles } = await restoreInto(services, 'id', { targetDir, dryRun: false });
    assert.deepEqual(restoredFiles, ['app/src/a', 'App-2/src/a', 'lib/src/a']);
    assert.deepEqual(
      restoredFiles.map((file) => readFileSync(path.join(targetDir, file), 'utf8')),
      roots,
    );
    await restoreInto(services, 'id', { targetDir: path.join(folder, 'part'), files: ['lib/src/a'], dryRun: false });
    assert.deepEqual(readdirSync(path.join(folder, 'part')), ['lib']);
  });

  const all = (of: string) => readdirSync(of, { recursive: true }).map(String).sort();

  it('leave no folder behind a link, neither made nor told', async () => {
    mkdirSync(targetDir);
    symlinkSync(path.join(folder, 'outside'), path.join(targetDir, 'link'));
    const files = ['a', 'link/deep/x', 'link/x', 'new/deep/y'];
    assert.deepEqual(await into(files, true), { restoredFiles: ['a', 'new/deep/y'], skippedFiles: ['link/deep/x', 'link/x'] });
    assert.deepEqual(all(targetDir), ['link']);
    assert.deepEqual(await into(files), { restoredFiles: ['a', 'new/deep/y'], skippedFiles: ['link/deep/x', 'link/x'] });
    assert.deepEqual(all(path.join(folder, 'outside')), []);
    assert.deepEqual(all(targetDir), ['a', 'link', 'new', 'new/deep', 'new/deep/y']);
  });

  it('leave what else is there: a folder, a file in the place of one, a link', async () => {
    mkdirSync(path.join(targetDir, 'a'), { recursive: true });
    writeFileSync(path.join(targetDir, 'b'), 'kept');
    writeFileSync(path.join(targetDir, 'c'), 'old');
    linkSync(path.join(targetDir, 'c'), path.join(folder, 'outside/c'));
    symlinkSync('b', path.join(targetDir, 'd'));
    for (const dryRun of [true, false])
      assert.deepEqual(await into(['a', 'b/x', 'c', 'd'], dryRun), { restoredFiles: ['c'], skippedFiles: ['a', 'b/x', 'd'] });
    const texts = ['target/b', 'target/c', 'target/d', 'outside/c'].map((file) => readFileSync(path.join(folder, file), 'utf8'));
    assert.deepEqual(
      [texts, all(targetDir)],
      [
        ['kept', 'new', 'kept', 'old'],
        ['a', 'b', 'c', 'd'],
      ],
    );
  });
});
