import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { shellEnvironment } from '../../../src/services/terminal/run/shellEnvironment';
import { systemClock, type Clock } from '../../../src/utils/clock';
import { patientClock } from '../../support/patientClock';

describe('the environment that a shell makes at its start', () => {
  let home: string;
  let base: NodeJS.ProcessEnv;
  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-home-'));
    base = { HOME: home, PATH: `${home}/first:/usr/bin:/bin`, KEPT: "it's ümläut", SHLVL: '3' };
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const made = (files: Record<string, string>, clock: Clock = patientClock) =>
    Promise.all(Object.entries(files).map(([name, text]) => writeFile(path.join(home, name), text))).then(() =>
      shellEnvironment('/bin/bash', base, clock),
    );

  it('has the variables of a login shell, and PATH as an interactive one leaves it', async () => {
    const environment = await made({
      '.bash_profile': 'export FROM_PROFILE=yes PATH=/usr/bin:/bin; echo Welcome; cd /\n',
      '.bashrc': 'export FROM_RC=yes PATH="$HOME/node20/bin:$PATH"; echo more\n',
    });
    assert.deepEqual(
      [environment['FROM_PROFILE'], environment['FROM_RC'], environment['PATH'], environment['KEPT']],
      ['yes', 'yes', `${home}/node20/bin:${home}/first:/usr/bin:/bin`, "it's ümläut"],
    );
    assert.deepEqual([environment['SHLVL'], environment['ELECTRON_RUN_AS_NODE']], ['3', undefined]);
  });

  for (const [what, profile] of [
    ['ends in its start-up files', 'exit 3\n'],
    ['becomes another program there', 'exec true\n'],
  ] as const) {
    it(`is that of the editor where the shell ${what}`, async () => {
      assert.deepEqual(await made({ '.bash_profile': profile }), base);
    });
  }

  it('is that of the editor where the shell does not start in time, and leaves nothing running', async () => {
    const clock: Clock = { ...systemClock, sleep: (_ms, signal) => systemClock.sleep(20, signal) };
    assert.deepEqual(await made({ '.bash_profile': 'while true; do :; done\n' }, clock), base);
  });

  it('is that of the editor for a shell that is not known, or not there', async () => {
    await mkdir(path.join(home, 'bin'));
    assert.deepEqual(await shellEnvironment('/usr/bin/nu', base, systemClock), base);
    assert.deepEqual(await shellEnvironment(path.join(home, 'bin', 'bash'), base, systemClock), base);
  });
});
