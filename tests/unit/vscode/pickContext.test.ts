import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { AttachmentRef } from '../../../src/protocol/entries';
import { globMatcher } from '../../../src/utils/text/globs';
import { pickContext } from '../../../src/vscode/pickContext';
import { editor, editorCalls, problems } from '../../support/fakeEditor';
import { FakeQuickPick } from '../../support/fakeEditorTypes';
import { eventually } from '../../support/until';

describe('Add context', () => {
  const workspace = vscode.workspace as unknown as Record<string, unknown>;
  const shown = vscode.window as unknown as Record<string, unknown>;
  const before = { findFiles: workspace['findFiles'], active: shown['activeTextEditor'] };
  let picked: Promise<AttachmentRef[]>;
  let excluded: unknown;

  beforeEach(() => {
    FakeQuickPick.isAttended = true;
    editor.folder = '/project';
    workspace['findFiles'] = (pattern: string, exclude: unknown) => {
      excluded = exclude;
      const files = ['src/lib/price.ts', 'src/app.ts', 'docs/images/logo.png'];
      return Promise.resolve(
        files.filter((file) => globMatcher(pattern)(file)).map((file) => vscode.Uri.file(`/project/${file}`)),
      );
    };
  });
  afterEach(() => {
    FakeQuickPick.last?.hide();
    FakeQuickPick.isAttended = false;
    problems.clear();
    editor.extensions.clear();
    editor.commandResults.clear();
    editor.userSettings.clear();
    Object.assign(editor, { folder: null, folders: null, opened: [] });
    workspace['findFiles'] = before.findFiles;
    shown['activeTextEditor'] = before.active;
  });

  /** Opens the list and waits until its initial items are complete. */
  async function open(lastTerminal: () => unknown = () => null): Promise<FakeQuickPick> {
    picked = pickContext(lastTerminal);
    const list = FakeQuickPick.last;
    assert.ok(list);
    await eventually(() => assert.equal(list.busy, false));
    return list;
  }
  async function typed(list: FakeQuickPick, text: string, label: string): Promise<void> {
    list.type(text);
    await eventually(() => assert.ok(list.labels.includes(label), list.labels.join()));
  }
  const kinds = ({ labels }: FakeQuickPick) => labels.filter((label) => label.startsWith('#'));

  it('offers only the kinds that have something to attach', async () => {
    const list = await open();
    assert.deepEqual(kinds(list), ['#codebase']);
    assert.ok(list.labels.includes('Image…') && list.labels.includes('Browse…'));
  });

  it('attaches problems, changes, terminal and selection as their references do', async () => {
    const uri = vscode.Uri.file('/project/src/app.ts');
    problems.set('/project/src/app.ts', [{ line: 1, message: 'wrong' }]);
    const state = { indexChanges: [], mergeChanges: [], workingTreeChanges: [{ uri, status: 5 }] };
    const git = { enabled: true, getAPI: () => ({ repositories: [{ state }] }) };
    editor.extensions.set('vscode.git', { isActive: true, exports: git });
    const selection = { isEmpty: false, start: { line: 2 }, end: { line: 4, character: 1 } };
    shown['activeTextEditor'] = { document: { uri }, selection };
    const wanted: [string, AttachmentRef][] = [
      ['#selection', { kind: 'selection', path: 'src/app.ts', startLine: 3, endLine: 5 }],
      ['#problems', { kind: 'problems', path: '#problems' }],
      ['#changes', { kind: 'changes', path: '#changes' }],
      ['#terminal', { kind: 'terminal', path: '#terminal' }],
      ['#codebase', { kind: 'workspace', path: '@workspace' }],
    ];
    for (const [label, item] of wanted) {
      const list = await open(() => ({ command: 'ls', output: '' }));
      await eventually(() =>
        assert.deepEqual(
          kinds(list),
          wanted.map(([name]) => name),
        ),
      );
      list.accept(label);
      assert.deepEqual(await picked, [item]);
    }
  });

  it('keeps the focused entry when more entries are found', async () => {
    problems.set('/project/src/app.ts', [{ line: 1, message: 'wrong' }]);
    const list = await open();
    const image = list.items.find(({ label }) => label === 'Image…');
    assert.ok(image);
    list.activeItems = [image];
    await typed(list, 'ima', 'logo.png');
    assert.deepEqual(
      list.activeItems.map(({ label }) => label),
      ['Image…'],
    );
  });

  it('finds files and folders by a part of their path', async () => {
    const list = await open();
    await typed(list, 'src/l', 'price.ts');
    assert.ok(list.labels.includes('lib/'));
    assert.ok(!list.labels.includes('app.ts'));
    list.accept('lib/');
    assert.deepEqual(await picked, [{ kind: 'folder', path: 'src/lib' }]);
  });

  it('finds symbols by their name', async () => {
    Object.assign(editor, { folder: null, folders: ['/work/app'] });
    const location = {
      uri: vscode.Uri.file('/work/app/src/price.ts'),
      range: { start: { line: 4 }, end: { line: 8 } },
    };
    editor.commandResults.set('vscode.executeWorkspaceSymbolProvider', [{ name: 'priceOf', location }]);
    const list = await open();
    await typed(list, 'priceo', 'priceOf');
    list.accept('priceOf');
    assert.deepEqual(await picked, [{ kind: 'selection', path: 'src/price.ts', startLine: 5, endLine: 9 }]);
  });

  it('attaches files and images from the disk', async () => {
    editor.opened = ['/project/notes.md'];
    (await open()).accept('Browse…');
    assert.deepEqual(await picked, [{ kind: 'file', path: 'notes.md' }]);
    editor.opened = ['/project/docs/images/logo.png'];
    (await open()).accept('Image…');
    assert.deepEqual(await picked, [{ kind: 'file', path: 'docs/images/logo.png' }]);
    const [options] = editorCalls.findLast(({ name }) => name === 'showOpenDialog')?.args ?? [];
    assert.ok((options as vscode.OpenDialogOptions).filters?.['Images']?.includes('png'));
  });

  it('does not search what the user excludes from searches', async () => {
    editor.userSettings.set('search.exclude', { '**/node_modules': true, '**/*.{map,min.js}': true, '**/kept': false });
    await typed(await open(), 'app', 'app.ts');
    assert.equal(excluded, '{**/node_modules,**/*.map,**/*.min.js}');
  });

  it('attaches nothing if the user closes the list', async () => {
    (await open()).hide();
    assert.deepEqual(await picked, []);
  });
});
