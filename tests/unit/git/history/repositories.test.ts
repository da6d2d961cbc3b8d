import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repositoriesBelow } from '../../../../src/services/git/history/repositories';

describe('Repositories below a folder', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'repositories-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  const make = (...folders: string[]) => folders.forEach((folder) => mkdirSync(path.join(root, folder), { recursive: true }));
  async function found(maxFolders: number): Promise<string[]> {
    const places = await repositoriesBelow([root], { maxFolders, signal: new AbortController().signal });
    return places.map(({ folder }) => path.relative(root, folder)).sort();
  }

  it('are found at every depth and beside many folders', async () => {
    make('.git', 'lib/.git', 'lib/vendor/x/.git', 'a/b/c/d/.git');
    make(...Array.from({ length: 150 }, (_, index) => `many/${index}`), 'many/149/.git');
    assert.deepEqual(await found(20_000), ['', 'a/b/c/d', 'lib', 'lib/vendor/x', 'many/149']);
  });

  it('are not looked for in more folders than allowed, upper ones first', async () => {
    make('lib/.git', 'lib/vendor/x/.git');
    assert.deepEqual(await found(2), ['lib']);
  });
});
