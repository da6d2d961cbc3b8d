import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { folderSize } from '../../../src/utils/files/folderSize';

describe('folderSize', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'folder-size-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('counts files at every depth, and follows no link', async () => {
    await mkdir(path.join(folder, 'a', 'b'), { recursive: true });
    await writeFile(path.join(folder, 'one'), Buffer.alloc(1000));
    await writeFile(path.join(folder, 'a', 'b', 'two'), Buffer.alloc(234));
    await symlink(folder, path.join(folder, 'a', 'round'));
    await symlink(path.join(folder, 'one'), path.join(folder, 'again'));
    assert.equal(await folderSize(folder), 1234);
  });

  it('is nothing for a folder that is not there', async () => {
    assert.equal(await folderSize(path.join(folder, 'none')), 0);
  });
});
