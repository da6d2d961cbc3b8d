import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cmdLine } from '../../../src/services/terminal/run/cmdLine';
import { endTree } from '../../../src/services/terminal/run/processTree';

const prefix = '"%SystemRoot%\\System32\\chcp.com" 65001 >nul 2>nul & ';

describe('A command line for cmd of Windows', () => {
  it('runs every line of a command, because cmd /c reads only the first', () => {
    assert.equal(cmdLine('npm ci\r\nnpm test\n\n  echo done  \n'), `${prefix}npm ci & npm test & echo done`);
    assert.equal(cmdLine('copy a ^\n  b'), `${prefix}copy a   b`);
    assert.equal(cmdLine('dir "a b"'), `${prefix}dir "a b"`);
  });

  // Only Windows has cmd.
  if (process.platform !== 'win32') return;

  it('keeps the exit code of the last command', () => {
    const { status, stdout } = spawnSync(cmdLine('echo one\necho two\nexit 3'), { shell: true, encoding: 'utf8' });
    assert.deepEqual([status, stdout.match(/\w+/g)], [3, ['one', 'two']]);
  });
});

describe('The end of a process tree', () => {
  it('ends the process even where taskkill is missing or fails', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    await endTree(child.pid as number);
    await ended;
  });

  it('resolves for a process that has already ended', async () => {
    const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
    await once(child, 'exit');
    await endTree(child.pid as number);
  });
});
