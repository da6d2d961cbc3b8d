import assert from 'node:assert/strict';
import path from 'node:path';
import { gitEnvironment } from '../../../src/services/git/repository';
import { readGitConfig } from '../../../src/services/git/gitConfig';
import { isInShare } from '../../../src/services/files/workspacePaths';
import { createShapes } from '../../../src/services/terminal/judge/rules/shapes';
import { isBelow } from '../../../src/utils/files/isInside';

describe('paths as Windows writes them', () => {
  const share = '\\\\wsl$\\Ubuntu\\home\\me\\app';

  const shares: [string, string, boolean][] = [
    ['\\\\wsl$\\Ubuntu\\home\\me\\app\\src\\a.ts', share, true],
    ['//wsl$/Ubuntu/home/me/app/src/a.ts', share, true],
    ['\\\\WSL$\\ubuntu\\home\\me\\APP', share, true],
    ['\\\\wsl$\\Ubuntu\\home\\me\\app2', share, false],
    ['\\\\wsl$\\Ubuntu\\home\\me\\app\\..\\.ssh\\id_rsa', share, false],
    ['\\\\other\\Ubuntu\\home\\me\\app\\a.ts', share, false],
    ['\\\\server\\share\\a.ts', 'C:\\work', false],
    ['\\\\?\\C:\\work\\a.ts', 'C:\\work', false],
    ['\\\\.\\pipe\\x', '\\\\.\\pipe', false],
    ['C:\\work\\a.ts', 'C:\\work', false],
  ];
  for (const [given, root, isInside] of shares) {
    it(`${given} is ${isInside ? '' : 'not '}a network path inside ${root}`, () =>
      assert.equal(isInShare(given, root), isInside));
  }

  const words: [string, string, boolean][] = [
    ['C:\\work\\app\\a.ts', 'C:\\work\\app', false],
    ['c:/Work/App/a.ts', 'C:\\work\\app', false],
    ['C:/work/app', 'C:\\work\\app', false],
    ['C:\\work\\app2\\a.ts', 'C:\\work\\app', true],
    ['D:\\work\\app\\a.ts', 'C:\\work\\app', true],
    ['C:\\work\\app\\..\\x', 'C:\\work\\app', true],
    ['\\\\WSL$\\Ubuntu\\home\\me\\app\\a.ts', share, false],
    ['\\\\wsl$\\Ubuntu\\etc\\passwd', share, true],
    ['/Work/a.ts', '/work', true],
  ];
  for (const [word, root, isOutside] of words) {
    it(`${word} in a command is ${isOutside ? 'outside' : 'inside'} the folder ${root}`, () => {
      const shapes = createShapes([root], { isSecret: () => false }, false);
      assert.equal(shapes.isOutside(word), isOutside);
    });
  }

  it('name a folder as itself, not as a place below it, however they end', () => {
    const folder = path.resolve('work');
    assert.equal(isBelow(`${folder}${path.sep}`, folder), false);
    assert.equal(isBelow(path.join(folder, 'a'), folder), true);
    if (process.platform === 'win32') assert.equal(isBelow(folder.toUpperCase(), folder.toLowerCase()), false);
  });

  it('lead to the configuration of Git for Windows', () => {
    const env = { HOME: 'H:\\me', ProgramFiles: 'D:\\Programs' };
    assert.deepEqual(gitEnvironment('win32', env), {
      home: 'H:\\me',
      configHome: 'H:\\me\\.config',
      systemConfig: 'D:\\Programs\\Git\\etc\\gitconfig',
      isMac: false,
    });
    assert.equal(gitEnvironment('win32', {}).systemConfig, 'C:\\Program Files\\Git\\etc\\gitconfig');
    assert.equal(gitEnvironment('linux', {}).systemConfig, '/etc/gitconfig');
  });

  it('hold in a condition of the Git configuration that begins in the home folder', () => {
    const home = path.resolve('home');
    const top = path.join(home, 'work', 'app');
    const main = '[includeIf "gitdir:~/work/"]\n\tpath = ~/work.ini\n[includeIf "gitdir:~/other/"]\n\tpath = ~/other.ini\n';
    const texts: Record<string, string> = {
      [path.join(home, '.gitconfig')]: main,
      [path.join(home, 'work.ini')]: '[core]\n\tignoreCase = true\n',
      [path.join(home, 'other.ini')]: '[core]\n\thooksPath = /x\n',
    };
    const repository = { top, gitDirectory: path.join(top, '.git') };
    const config = readGitConfig([path.join(home, '.gitconfig')], home, repository, (file) => texts[file] ?? null);
    assert.deepEqual([config.ignoreCase, config.hooksPath], [true, null]);
  });
});
