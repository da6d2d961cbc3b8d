import assert from 'node:assert/strict';
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInChildProcess } from '../../../src/services/terminal/run/childProcessRunner';
import { startWithWatchdog } from '../../../src/services/terminal/run/groupWatch';
import { exitOf } from '../database/processes/child';
import { until } from '../../support/until';

/** Returns the running processes, without zombies. */
const processes = () =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .flatMap((found) => (found === null || found[4]?.startsWith('Z') ? [] : [found]))
    .map(([, pid, parent, group, , args = '']) => ({ pid: Number(pid), parent: Number(parent), group: Number(group), args }));
const watches = (parent: number) =>
  processes().filter((one) => one.parent === parent && one.args.includes('ollama-copilot-watch'));

describe('commands without a terminal', () => {
  it('end with a window that is killed, what they started and what does not want to end too, and so does what watched them', async () => {
    const child = fork(path.join(__dirname, 'processes/commands.js'), [tmpdir()], { execArgv: [] });
    const groups: unknown[] = [];
    while (groups.length < 3) groups.push((await once(child, 'message'))[0]);
    const watching = watches(child.pid ?? 0).map(({ pid }) => pid);
    assert.equal(watching.length, 3);
    assert.equal(new Set(processes().flatMap(({ group }) => (groups.includes(group) ? [group] : []))).size, 3);
    child.kill('SIGKILL');
    assert.equal(await exitOf(child), 'SIGKILL');
    await until(() => !processes().some(({ group, pid }) => groups.includes(group) || watching.includes(pid)));
  });

  it('are no longer watched once they have ended, or did not begin', async () => {
    const before = watches(process.pid).length;
    const { ended } = runInChildProcess('exit 3', tmpdir(), () => undefined);
    assert.equal(await ended, 3);
    await assert.rejects(runInChildProcess('exit 3', '/nowhere/at/all', () => undefined).ended, { code: 'ENOENT' });
    assert.throws(() => startWithWatchdog(() => spawn('\0')), { code: 'ERR_INVALID_ARG_VALUE' });
    await until(() => watches(process.pid).length === before);
  });

  it('do not end with another one', async () => {
    const before = watches(process.pid).length;
    const [one, other] = ['sleep 300', 'sleep 301'].map((command) => runInChildProcess(command, tmpdir(), () => undefined));
    await one?.terminate();
    await until(() => watches(process.pid).length === before + 1);
    assert.ok(processes().some(({ group }) => group === other?.pid));
    await other?.terminate();
    await until(() => watches(process.pid).length === before);
  });
});
