import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { followLinks } from '../../../src/services/files/followLinks';
import { PathError } from '../../../src/services/files/pathError';

/** Windows reports a path inside a file as missing. */
async function realPathOfWindows(file: string): Promise<string> {
  return realpath(file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOTDIR' ? Object.assign(new Error(error.message), { code: 'ENOENT' }) : error;
  });
}

describe('a path that is resolved', () => {
  let root: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-links-')));
    await mkdir(path.join(root, 'src'));
    await writeFile(path.join(root, 'src/a.ts'), '');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  for (const resolveLinks of [realpath, realPathOfWindows]) {
    it(`is refused inside a file (${resolveLinks.name})`, async () => {
      for (const inside of ['src/a.ts/x', 'src/a.ts/x/y/z.ts']) {
        const isPathError = (error: unknown) =>
          error instanceof PathError && error.reason === 'invalid' && error.message.includes('part of this path is a file');
        await assert.rejects(followLinks(path.join(root, inside), inside, resolveLinks), isPathError);
      }
    });

    it(`may be missing inside a folder (${resolveLinks.name})`, async () => {
      const file = path.join(root, 'src/new/deep/b.ts');
      assert.deepEqual(await followLinks(file, 'b.ts', resolveLinks), { real: file, exists: false });
    });
  }

  it('keeps the reason of another failure', async () => {
    const fails = () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }));
    await assert.rejects(followLinks(path.join(root, 'src'), 'src', fails), /src cannot be resolved \(EACCES\)/);
  });
});
