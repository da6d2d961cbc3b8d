import assert from 'node:assert/strict';
import { describeShell, shellName } from '../../../src/services/terminal/shellName';

describe('the shell that commands are written for', () => {
  const cases: readonly [file: string, platform: NodeJS.Platform, name: string, described: string][] = [
    ['/usr/bin/zsh', 'darwin', 'zsh', 'zsh on macOS'],
    ['/bin/bash', 'linux', 'bash', 'bash on Linux'],
    ['C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe', 'win32', 'powershell', 'powershell on Windows'],
    ['C:\\Program Files\\Git\\bin\\Bash.EXE', 'win32', 'bash', 'bash on Windows'],
    ['', 'linux', '', 'the shell of the user on Linux'],
    ['/usr/local/bin/fish', 'freebsd', 'fish', 'fish on freebsd'],
  ];
  for (const [file, platform, name, described] of cases) {
    it(`${file || 'nothing'} is ${described}`, () => {
      assert.equal(shellName(file, platform), name);
      assert.equal(describeShell(file, platform), described);
    });
  }
});
