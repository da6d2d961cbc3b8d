import { editor } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RipgrepBinary } from '../../../src/vscode/workspace/ripgrepBinary';

describe('ripgrep', () => {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const before = { ...process.env };
  const { appRoot } = editor;
  let root: string;
  let writable: string[];
  const locate = (): Promise<string | undefined> => new RipgrepBinary(() => writable).locate();
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-rg-'));
    editor.appRoot = path.join(root, 'editor');
    writable = [path.join(root, 'project')];
  });
  afterEach(async () => {
    process.env['PATH'] = before['PATH'];
    editor.appRoot = appRoot;
    await rm(root, { recursive: true, force: true });
  });

  async function put(folder: string, mode = 0o755): Promise<string> {
    const file = path.join(root, folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '');
    await chmod(file, mode);
    return file;
  }
  const search = (...folders: string[]): void => {
    process.env['PATH'] = folders.map((folder) => path.join(root, folder)).join(path.delimiter);
  };

  it('is the one on the PATH where the editor has none', async () => {
    await put('plain', 0o644);
    const file = await put('tools');
    await put('later');
    search('none', 'plain', 'tools', 'later');
    assert.equal(await locate(), file);
  });

  it('is the one of the editor, in the place of newer versions before that of older ones', async () => {
    await put('tools');
    search('tools');
    const modules = 'editor/node_modules/@vscode';
    const older = await put(`${modules}/ripgrep/bin`);
    assert.equal(await locate(), older);
    const newer = await put(`${modules}/ripgrep-universal/bin/${process.platform}-${process.arch}`);
    assert.equal(await locate(), newer);
  });

  it('is none from a folder that depends on where the editor was started', async () => {
    await put('tools');
    process.env['PATH'] = [path.relative(process.cwd(), path.join(root, 'tools')), '', '.'].join(path.delimiter);
    assert.equal(await locate(), undefined);
  });

  it('is none that the agent may have written, nor one behind it on the PATH', async () => {
    const written = await put('project/bin');
    await put('tools');
    search('project/bin', 'tools');
    assert.equal(await locate(), undefined);
    await mkdir(path.join(root, 'links'));
    await symlink(written, path.join(root, 'links', name));
    search('links', 'tools');
    assert.equal(await locate(), undefined);
    writable = [];
    assert.equal(await locate(), path.join(root, 'links', name));
  });
});
