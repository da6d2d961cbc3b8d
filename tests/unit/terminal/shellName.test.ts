import assert from 'node:assert/strict';
import { describeShell, shellName } from '../../../src/services/terminal/run/shellName';

describe('the shell that commands are written for', () => {
  const powershell = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
  const cmd = 'C:\\WINDOWS\\system32\\cmd.exe';
  const cases: readonly [file: string, hidden: string, platform: NodeJS.Platform, name: string, described: string][] = [
    ['/usr/bin/zsh', '/bin/zsh', 'darwin', 'zsh', 'zsh on macOS'],
    ['/bin/bash', '/bin/bash', 'linux', 'bash', 'bash on Linux'],
    ['/usr/bin/fish', '/bin/sh', 'freebsd', 'fish', 'fish on freebsd; those of several lines and those in the background in sh'],
    [powershell, cmd, 'win32', 'powershell', 'powershell on Windows; those of several lines and those in the background in cmd'],
    ['C:\\Program Files\\Git\\bin\\Bash.EXE', 'bash.exe', 'win32', 'bash', 'bash on Windows'],
    ['', '/bin/sh', 'linux', '', 'sh on Linux'],
  ];
  for (const [file, hidden, platform, name, described] of cases) {
    it(`${file || 'nothing'} beside ${hidden} is ${described}`, () => {
      assert.equal(shellName(file, platform), name);
      assert.equal(describeShell(file, hidden, platform), described);
    });
  }
});
