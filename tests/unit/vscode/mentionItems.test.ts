import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { globMatcher } from '../../../src/utils/text/globs';
import { mentionItems } from '../../../src/vscode/mentionItems';
import { editor } from '../../support/fakeEditor';

describe('Items for a typed reference', () => {
  const shown = vscode.workspace as unknown as Record<string, unknown>;
  const before = Object.getOwnPropertyDescriptors(shown);
  afterEach(() => {
    Object.defineProperties(shown, before);
    Object.assign(editor, { folder: null, folders: null });
  });

  /** Opens folders with these files. Finds files as VS Code does: with a pattern within each folder. */
  function open(root: string, paths: readonly string[], folders: readonly string[] | null = null): void {
    Object.assign(editor, folders === null ? { folder: root } : { folders: folders.map((name) => `${root}/${name}`) });
    const ofFolder = (path: string) => (folders === null ? path : path.slice(path.indexOf('/') + 1));
    shown['findFiles'] = (pattern: string) =>
      Promise.resolve(
        paths.filter((path) => globMatcher(pattern)(ofFolder(path))).map((path) => vscode.Uri.file(`${root}/${path}`)),
      );
  }
  const found = async (kind: 'any' | 'file' | 'folder', query: string) =>
    (await mentionItems(kind, query)).map(({ item }) => item.path);

  const files = ['src/lib/price.ts', 'src/lib/deep/print.ts', 'src/other.ts', 'tests/price.test.ts'];

  it('finds files by a part of their path', async () => {
    open('/project', files);
    assert.deepEqual(await found('file', 'src/lib/pr'), ['src/lib/price.ts']);
    assert.deepEqual(await found('file', 'LIB/Deep/'), ['src/lib/deep/print.ts']);
    assert.deepEqual(await found('file', './src/o'), ['src/other.ts']);
    assert.deepEqual(await found('file', 'price'), ['src/lib/price.ts', 'tests/price.test.ts']);
    assert.deepEqual(await found('file', 'srclib'), []);
  });

  it('does not match the folders above the workspace', async () => {
    open('/project', files);
    assert.deepEqual(await found('file', 'project'), []);
  });

  it('finds folders by a part of their path', async () => {
    open('/project', files);
    assert.deepEqual(await found('folder', 'src/l'), ['src/lib']);
    assert.deepEqual(await found('folder', 'lib/de'), ['src/lib/deep']);
    assert.deepEqual(await found('folder', 'src/'), ['src', 'src/lib', 'src/lib/deep']);
    assert.deepEqual(await found('folder', 'deep'), ['src/lib/deep']);
    assert.deepEqual(await found('any', 'src/lib/de'), ['src/lib/deep/print.ts', 'src/lib/deep']);
  });

  it('takes the name of a folder of the workspace as the first part of a path', async () => {
    open('/work', ['app/src/main.ts', 'api/src/main.ts'], ['app', 'api']);
    assert.deepEqual(await found('file', 'api/src/m'), ['api/src/main.ts']);
    assert.deepEqual(await found('file', 'src/m'), ['app/src/main.ts', 'api/src/main.ts']);
  });
});
