import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runSandboxed } from '../../../src/agent/tools/command/sandboxedRun';
import { BackgroundCommands, type BackgroundReport } from '../../../src/services/terminal/run/backgroundCommands';
import { CommandOutputs } from '../../../src/services/terminal/run/commandOutputs';
import { TerminalManager, type CommandOutcome } from '../../../src/services/terminal/run/terminalManager';
import type { TerminalHost, TerminalSession } from '../../../src/services/terminal/run/terminalPorts';
import { systemClock, type Clock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { until } from '../../support/until';
import { ManualClock } from '../database/support/manualClock';
import { FakeSandbox } from './support/fakeSandbox';

describe('a command that continues in the background', () => {
  let cwd: string;
  let outputs: CommandOutputs;
  let background: BackgroundCommands;
  let stopping: AbortController;
  beforeEach(async () => {
    cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-continued-')));
    outputs = new CommandOutputs(silentLogger);
    stopping = new AbortController();
    background = new BackgroundCommands(systemClock, silentLogger);
  });
  afterEach(async () => {
    await background.dispose();
    await rm(cwd, { recursive: true, force: true });
  });

  const managerOf = (clock: Clock, host?: TerminalHost) =>
    new TerminalManager(host, clock, silentLogger, { outputs, background });
  const requestOf = (command: string) => ({ sessionId: 's', callId: 'c', command, cwd, signal: stopping.signal });
  const printed = (text: string) => until(() => outputs.of('s').some(({ output }) => output === text));
  const idOf = ({ background: report }: CommandOutcome): string => report?.id ?? assert.fail('it does not run in the background');
  const look = async (id: string): Promise<BackgroundReport> =>
    (await background.readOutput('s', id, new AbortController().signal)) ?? assert.fail('there is no such command');
  const ended = async (id: string): Promise<BackgroundReport> => {
    await background.whenEnded('s', id);
    return look(id);
  };
  const loop = 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 3';

  it('is not interrupted: its call returns the output so far, and the rest is read as that of other background commands', async () => {
    const running = managerOf(systemClock).run(requestOf(loop));
    await printed('one');
    outputs.continueInBackground('s', 'c');
    const outcome = await running;
    assert.deepEqual(
      [outcome.status, outcome.exitCode, outcome.output, outcome.via],
      ['background', null, 'one', 'childProcess'],
    );
    assert.deepEqual(outputs.listTails('s'), []);
    assert.deepEqual(background.running('s'), [{ id: idOf(outcome), command: loop }]);
    // The run is stopped, but the command continues.
    stopping.abort();
    await writeFile(path.join(cwd, 'go'), '');
    const { state, exitCode, output } = await ended(idOf(outcome));
    assert.deepEqual([state, exitCode, output, background.running('s')], ['exited', 3, 'one\ntwo', []]);
  });

  it('does nothing for a command that has ended', async () => {
    const { status } = await managerOf(systemClock).run(requestOf('echo over'));
    outputs.continueInBackground('s', 'c');
    assert.deepEqual([status, background.ids('s')], ['exited', []]);
  });

  it('ends the sandbox of a command when the command ends', async () => {
    const sandbox = new FakeSandbox();
    sandbox.reports.push({ denials: [{ kind: 'write', target: '/etc/x' }] });
    const sandboxed = await sandbox.wrap({ ...requestOf(loop), hosts: [] });
    const running = runSandboxed(sandboxed, requestOf(loop), managerOf(systemClock));
    await printed('one');
    outputs.continueInBackground('s', 'c');
    const outcome = await running;
    assert.deepEqual([outcome.status, outcome.sandbox, sandbox.ends], ['background', undefined, []]);
    await writeFile(path.join(cwd, 'go'), '');
    assert.deepEqual((await ended(idOf(outcome))).sandbox?.denials, [{ kind: 'write', target: '/etc/x' }]);
    assert.deepEqual(sandbox.ends, [{ exitCode: 3, output: 'one\ntwo' }]);
  });

  describe('in a terminal', () => {
    let calls: string[];
    let host: TerminalHost;
    let clock: ManualClock;
    /** Prints text in the terminal. */
    let say: (text: string) => void;
    let end: (exitCode: number) => void;
    let fail: () => void;
    beforeEach(() => {
      clock = new ManualClock(0);
      // The clock does not advance, so only new output ends a wait.
      background = new BackgroundCommands(clock, silentLogger);
      calls = [];
      const { readable, writable } = new TransformStream<string, string>();
      const writer = writable.getWriter();
      say = (text) => void writer.write(text);
      fail = () => void writer.abort(new Error('lost')).catch(() => undefined);
      const exited = new Promise<{ exitCode: number; isClosed: boolean }>((resolve) => {
        end = (exitCode) => {
          void writer.close();
          resolve({ exitCode, isClosed: false });
        };
      });
      const terminal: TerminalSession = {
        execute: (command) => {
          calls.push(`execute ${command}`);
          return { output: readable, end: exited };
        },
        interrupt: () => {
          calls.push('interrupt');
          end(130);
        },
        detach: () => void calls.push('detach'),
        kill: async () => void calls.push('kill'),
      };
      host = { acquire: async () => terminal, shellWithoutTerminal: async () => ({ env: process.env }) };
    });
    const start = async () => {
      let hasPrinted = false;
      const request = { ...requestOf('npm start'), onOutput: () => (hasPrinted = true) };
      const running = managerOf(clock, host).run(request);
      say('one\n');
      await until(() => hasPrinted);
      outputs.continueInBackground('s', 'c');
      return running;
    };

    it('keeps the terminal, without the time limit of its call', async () => {
      const outcome = await start();
      assert.deepEqual([outcome.status, outcome.output, outcome.via], ['background', 'one', 'terminal']);
      await clock.advance(700_000);
      assert.deepEqual(calls, ['execute npm start', 'detach']);
      const news = look(idOf(outcome));
      say('two\n');
      assert.deepEqual((await news).output, 'one\ntwo');
      end(0);
      const { state, exitCode } = await ended(idOf(outcome));
      assert.deepEqual([state, exitCode], ['exited', 0]);
    });

    it('is interrupted there when the user stops it', async () => {
      const outcome = await start();
      await background.stop('s', idOf(outcome));
      assert.deepEqual(calls, ['execute npm start', 'detach', 'interrupt']);
      assert.equal((await ended(idOf(outcome))).state, 'stopped');
    });

    it('has ended when its output is lost', async () => {
      const outcome = await start();
      fail();
      const { state, exitCode } = await ended(idOf(outcome));
      assert.deepEqual([state, exitCode], ['exited', null]);
    });
  });
});
