import assert from 'node:assert/strict';
import { terminalEnvironment } from '../../../src/services/terminal/run/terminalEnvironment';

const places = { userHome: '/home/me', workspaceFolder: '/work' };

describe('the environment of a terminal', () => {
  it('is that of the editor with the variables of the settings, which may refer to others', () => {
    const base = { PATH: '/usr/bin', LANG: 'C' };
    const variables = { PATH: '/node/bin:${env:PATH}', TOOLS: '${workspaceFolder}/tools', CACHE: '${userHome}/cache' };
    assert.deepEqual(terminalEnvironment(base, variables, places), {
      PATH: '/node/bin:/usr/bin',
      LANG: 'C',
      TOOLS: '/work/tools',
      CACHE: '/home/me/cache',
    });
    assert.deepEqual(base, { PATH: '/usr/bin', LANG: 'C' });
  });

  it('lacks a variable that is set to null, and has an empty text for one that is not there', () => {
    assert.deepEqual(terminalEnvironment({ PROXY: 'x' }, { PROXY: null, OTHER: '<${env:NONE}>' }, places), { OTHER: '<>' });
  });

  it('leaves out values that are neither text nor null, as a person may write anything into their settings', () => {
    const variables = { PORT: 3000, ON: true, LIST: ['a'], MAP: { a: 'b' }, OK: 'yes' };
    assert.deepEqual(terminalEnvironment({ PORT: '80' }, variables, places), { PORT: '80', OK: 'yes' });
  });

  it('keeps a reference that it cannot resolve', () => {
    const variables = { A: '${workspaceFolder}', B: '${command:x}' };
    assert.deepEqual(terminalEnvironment({}, variables, { ...places, workspaceFolder: undefined }), variables);
  });
});
