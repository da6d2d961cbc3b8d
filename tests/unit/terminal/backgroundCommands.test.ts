import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BackgroundCommands, type BackgroundReport } from '../../../src/services/terminal/run/backgroundCommands';
import { systemClock, type Clock } from '../../../src/utils/clock';
import { CancelledError } from '../../../src/utils/errors';
import { FakeSandbox } from './support/fakeSandbox';
import { silentLogger } from '../../../src/utils/logger';
import { until } from '../../support/until';

/** Clock with short waits, because the tests wait for states instead. */
const impatient: Clock = { now: () => systemClock.now(), sleep: () => systemClock.sleep(20) };

describe('commands in the background', () => {
  let cwd: string;
  let background: BackgroundCommands;
  beforeEach(async () => {
    cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-background-')));
    background = new BackgroundCommands(systemClock, silentLogger);
  });
  afterEach(async () => {
    await background.dispose();
    await rm(cwd, { recursive: true, force: true });
  });

  const never = new AbortController().signal;
  const start = (command: string, more: { signal?: AbortSignal; sessionId?: string } = {}): Promise<BackgroundReport> =>
    background.start({ sessionId: 's', command, cwd, signal: never, ...more });
  const look = async (id: string): Promise<BackgroundReport> => (await background.readOutput('s', id, never)) as BackgroundReport;
  const ended = async (id: string): Promise<BackgroundReport> => {
    for (;;) {
      const report = await look(id);
      if (report.state !== 'running') return report;
    }
  };
  it('start as the sandbox prepares them, which is told of the end once', async () => {
    const sandbox = new FakeSandbox();
    sandbox.reports.push({ denials: [{ kind: 'write', target: '/etc/x' }] });
    const command = 'echo inside; exit 3';
    const prepare = () => sandbox.wrap({ sessionId: 's', command, cwd, hosts: [], signal: never });
    const { id } = await background.start({ sessionId: 's', command, cwd, signal: never, sandboxed: await prepare() });
    const { exitCode, output, sandbox: report } = await ended(id);
    assert.deepEqual([exitCode, output, report?.denials], [3, 'inside', [{ kind: 'write', target: '/etc/x' }]]);
    assert.deepEqual(sandbox.ends, [{ exitCode: 3, output: 'inside' }]);
    const missing = { ...(await prepare()), program: { file: path.join(cwd, 'none'), args: [], env: {} } };
    await assert.rejects(background.start({ sessionId: 's', command, cwd, signal: never, sandboxed: missing }), /ENOENT/);
    await assert.rejects(
      background.start({ sessionId: 's', command, cwd, signal: AbortSignal.abort(), sandboxed: await prepare() }),
      CancelledError,
    );
    assert.deepEqual(sandbox.ends.slice(1), [
      { exitCode: null, output: '' },
      { exitCode: null, output: '' },
    ]);
  });

  /** Returns true if a process of the group is still running. Zombies do not count. */
  const isAlive = (pid: number | undefined): boolean => {
    const all = execFileSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' }).split('\n');
    return all.some((line) => new RegExp(`^\\s*${pid}\\s+[^Z]`).test(line));
  };

  /** Resolves when a killed process has exited, which takes a moment. */
  const gone = (pid: number | undefined): Promise<void> => until(() => !isAlive(pid));

  it('tell at once how they failed', async () => {
    const { state, exitCode, output } = await start('echo no such port; exit 4');
    assert.deepEqual([state, exitCode, output], ['exited', 4, 'no such port']);
    assert.deepEqual(background.running('s'), []);
  });

  it('go on, and are read as they go', async () => {
    const begun = await start('echo listening; while [ ! -e stop ]; do sleep 0.05; done; echo stopped; exit 2');
    assert.deepEqual([begun.state, begun.exitCode, begun.output], ['running', null, 'listening']);
    assert.deepEqual(background.running('s'), [{ id: begun.id, command: begun.command }]);
    await start('touch stop');
    const last = await ended(begun.id);
    assert.deepEqual([last.state, last.exitCode, last.output], ['exited', 2, 'listening\nstopped']);
    assert.deepEqual(await look(begun.id), last);
  });

  it('give the first and the last lines of what they say', async () => {
    const { id } = await start('yes "a line of output" | head -n 300000; sleep 0.1');
    const { output, truncatedLines } = await ended(id);
    assert.deepEqual([truncatedLines, output.split('\n').length], [299_900, 101]);
  });

  it('have the environment of a terminal', async () => {
    const shell = { env: { ...process.env, FROM_SETTINGS: 'of the terminal' } };
    await background.dispose();
    background = new BackgroundCommands(systemClock, silentLogger, { shellWithoutTerminal: async () => shell });
    const { id } = await start('echo "$FROM_SETTINGS"');
    assert.equal((await ended(id)).output, 'of the terminal');
  });

  it('get no input', async () => {
    assert.equal((await start('cat; echo over')).output, 'over');
  });

  it('end with Stop during the run that began them, with all they started', async () => {
    const stopping = new AbortController();
    const { id, pid } = await start('trap "" TERM; sleep 600 & echo up; while true; do sleep 0.05; done', {
      signal: stopping.signal,
    });
    stopping.abort();
    assert.equal((await ended(id)).state, 'stopped');
    await gone(pid);
  });

  it('do not begin once stopped, and are ended when Stop comes while they begin', async () => {
    await assert.rejects(start('echo x', { signal: AbortSignal.abort() }), CancelledError);
    const stopping = new AbortController();
    const starting = start('sleep 600', { signal: stopping.signal });
    stopping.abort();
    await assert.rejects(starting, CancelledError);
    await background.endSession('s');
    assert.deepEqual(background.running('s'), []);
  });

  it('are ended by a person, with their session and with the window', async () => {
    background = new BackgroundCommands(impatient, silentLogger);
    const told: string[][] = [];
    background.onDidChange(({ sessionId, commands }) =>
      told.push([sessionId, ...commands.map(({ command, isStopped }) => (isStopped ? `${command}, stopped` : command))]),
    );
    const one = await start('sleep 601');
    const two = await start('sleep 602');
    const other = await start('sleep 603', { sessionId: 't' });
    await background.stop('s', one.id);
    await gone(one.pid);
    assert.deepEqual([isAlive(two.pid), isAlive(other.pid)], [true, true]);
    assert.deepEqual(told, [
      ['s', 'sleep 601'],
      ['s', 'sleep 601', 'sleep 602'],
      ['t', 'sleep 603'],
      ['s', 'sleep 601, stopped', 'sleep 602'],
    ]);
    assert.deepEqual(background.running('s'), [{ id: two.id, command: 'sleep 602' }]);
    await background.endSession('s');
    await gone(two.pid);
    assert.equal(isAlive(other.pid), true);
    await background.dispose();
    await gone(other.pid);
  });

  it('are of one session', async () => {
    const { id } = await start('echo mine');
    assert.equal(await background.readOutput('t', id, never), undefined);
    assert.equal(await background.readOutput('s', 'terminal-none', never), undefined);
    assert.deepEqual([background.findCommand(id), background.ids('s')], ['echo mine', [id]]);
  });

  it('may not say anything for long: a look comes back all the same', async () => {
    background = new BackgroundCommands(impatient, silentLogger);
    const { id } = await start('sleep 600');
    const { state, output } = await look(id);
    assert.deepEqual([state, output], ['running', '']);
  });

  it('are reported as soon as they print something', async () => {
    let waits = () => systemClock.sleep(20);
    background = new BackgroundCommands({ now: () => systemClock.now(), sleep: () => waits() }, silentLogger);
    const { id } = await start('while [ ! -e go ]; do sleep 0.05; done; echo at last; sleep 600');
    // From here on, only new output ends a wait.
    waits = () => new Promise(() => undefined);
    const looking = look(id);
    await writeFile(path.join(cwd, 'go'), '');
    assert.equal((await looking).output, 'at last');
  });

  it('reject when their folder is gone, and leave nothing behind', async () => {
    await assert.rejects(background.start({ sessionId: 's', command: 'pwd', cwd: path.join(cwd, 'none'), signal: never }));
    assert.deepEqual(background.ids('s'), []);
  });
});
