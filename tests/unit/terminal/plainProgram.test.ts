import assert from 'node:assert/strict';
import { listProgramPaths } from '../../../src/services/terminal/judge/plainProgram';

describe('The places of a program that runs without approval', () => {
  const env = {
    Path: 'C:\\Windows\\system32;D:\\tools',
    ProgramFiles: 'C:\\Program Files',
    ProgramW6432: 'C:\\Program Files',
    'ProgramFiles(x86)': 'C:\\Program Files (x86)',
    LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local',
  };

  it('are executables on PATH on Windows, never batch files', () => {
    assert.deepEqual(listProgramPaths('rg', env, 'win32'), ['C:\\Windows\\system32\\rg.exe', 'D:\\tools\\rg.exe']);
  });

  it('include the folders where the setup of Git for Windows installs it, after PATH', () => {
    assert.deepEqual(listProgramPaths('git', env, 'win32'), [
      'C:\\Windows\\system32\\git.exe',
      'D:\\tools\\git.exe',
      'C:\\Program Files\\Git\\cmd\\git.exe',
      'C:\\Program Files (x86)\\Git\\cmd\\git.exe',
      'C:\\Users\\me\\AppData\\Local\\Programs\\Git\\cmd\\git.exe',
    ]);
    assert.deepEqual(listProgramPaths('git', { ...env, PATH: '/usr/bin' }, 'linux'), ['/usr/bin/git']);
  });
});
