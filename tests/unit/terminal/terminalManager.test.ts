import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TerminalHost, TerminalSession } from '../../../src/services/terminal/run/terminalPorts';
import { TerminalManager, type CommandOutcome, type CommandRequest } from '../../../src/services/terminal/run/terminalManager';
import { hiddenShell } from '../../../src/services/terminal/run/childProcessRunner';
import { shellName } from '../../../src/services/terminal/run/shellName';
import { systemClock, type Clock } from '../../../src/utils/clock';
import { CancelledError } from '../../../src/utils/errors';
import { silentLogger } from '../../../src/utils/logger';
import { ManualClock } from '../database/support/manualClock';

const plain = { shellWithoutTerminal: () => Promise.resolve({ env: process.env }) };
/** Outcome fields for a command that runs without a terminal. */
const hidden = { via: 'childProcess', shell: shellName(hiddenShell()) } as const;
const manager = (host?: TerminalHost): TerminalManager => new TerminalManager(host, systemClock, silentLogger);

describe('commands in a child process', () => {
  let cwd: string;
  beforeEach(async () => void (cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-terminal-')))));
  afterEach(() => rm(cwd, { recursive: true, force: true }));

  const run = (command: string, more: Partial<CommandRequest> = {}): Promise<CommandOutcome> =>
    manager().run({ sessionId: 's', command, cwd, signal: new AbortController().signal, ...more });
  const exited = (output: string, exitCode = 0): CommandOutcome => ({
    output,
    exitCode,
    status: 'exited',
    ...hidden,
    truncatedLines: 0,
  });

  it('give output and exit code, in the folder that was asked for', async () => {
    assert.deepEqual(await run('pwd; exit 3'), exited(cwd, 3));
  });

  it('give both streams in the order of writing', async () => {
    assert.deepEqual(await run('echo a; echo b >&2; echo c; echo d >&2'), exited('a\nb\nc\nd'));
  });

  it('give Unicode whole', async () => {
    assert.deepEqual(
      await run("printf 'gr\\303'; sleep 0.1; printf '\\274n \\360\\237\\245'; sleep 0.1; printf '\\233'"),
      exited('grün 🥛'),
    );
  });

  it('get no input', async () => {
    assert.deepEqual(await run('cat; echo over'), exited('over'));
  });

  it('tell what the shell says about nonsense', async () => {
    const { exitCode, output } = await run('no-such-program-here');
    assert.equal(exitCode, 127);
    assert.match(output, /no-such-program-here/);
  });

  it('end with their shell, whatever it left in the background', async () => {
    assert.deepEqual(await run('sleep 30 & echo begun'), exited('begun'));
  });

  it('come back with what was seen when their time is up, with all they started gone', async () => {
    let isUp = (): void => undefined;
    const up = new Promise<void>((resolve) => (isUp = resolve));
    const clock: Clock = { ...systemClock, sleep: (ms, signal) => (ms === 60_000 ? up : systemClock.sleep(ms, signal)) };
    const outcome = await new TerminalManager(undefined, clock, silentLogger).run({
      sessionId: 's',
      command: 'echo begun; (trap "" TERM; sleep 31.7) & sleep 31.7',
      cwd,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      onOutput: () => isUp(),
    });
    assert.deepEqual(outcome, { output: 'begun', exitCode: null, status: 'timedOut', ...hidden, truncatedLines: 0 });
    assert.deepEqual(await run('pgrep -g 0 -f "sleep 31[.]7" || echo none'), exited('none'));
  });

  it('end on Stop, with what was seen', async () => {
    const stopping = new AbortController();
    const outcome = await run('echo begun; sleep 600', { signal: stopping.signal, onOutput: () => stopping.abort() });
    assert.deepEqual(outcome, { output: 'begun', exitCode: null, status: 'cancelled', ...hidden, truncatedLines: 0 });
  });

  it('end on Stop although they refuse to', async () => {
    const stopping = new AbortController();
    const command = 'trap "" TERM INT; echo begun; while true; do sleep 0.05; done';
    const outcome = await run(command, { signal: stopping.signal, onOutput: () => stopping.abort() });
    assert.deepEqual([outcome.status, outcome.output], ['cancelled', 'begun']);
  });

  it('do not begin once stopped', async () => {
    await assert.rejects(run('echo x', { signal: AbortSignal.abort() }), CancelledError);
  });

  it('tell what ended them', async () => {
    assert.deepEqual(await run('echo begun; kill -KILL $$'), exited('begun', 137));
  });

  it('may say a great deal', async () => {
    const { output, truncatedLines } = await run('yes "a line of output" | head -n 300000');
    assert.deepEqual([truncatedLines, output.split('\n').length], [299_900, 101]);
  });

  it('reject when their folder is gone', async () => {
    await assert.rejects(run('pwd', { cwd: path.join(cwd, 'none') }));
  });
});

async function* slowly(...says: string[]): AsyncGenerator<string> {
  for (const text of says) {
    // eslint-disable-next-line waits/long -- Longer than the pause after which an ended command could be taken for read.
    await systemClock.sleep(300);
    yield text;
  }
}

/** Terminal controlled by the test. */
class FakeTerminal implements TerminalSession {
  readonly calls: string[] = [];
  private end: () => void = () => undefined;

  constructor(
    private readonly behaviour: { says: string[]; ends: boolean; code: Promise<number | undefined | 'closed'>; heeds?: boolean },
  ) {}

  execute(command: string): ReturnType<TerminalSession['execute']> {
    this.calls.push(`execute ${command}`);
    const { says, ends, code } = this.behaviour;
    const ended = new Promise<void>((resolve) => (this.end = resolve));
    async function* output(): AsyncGenerator<string> {
      for (const text of says) yield text;
      if (!ends) await ended;
    }
    const end = code.then((said) =>
      said === 'closed' ? { exitCode: undefined, isClosed: true } : { exitCode: said, isClosed: false },
    );
    return { output: output(), end };
  }

  detach(): void {
    this.calls.push('detach');
  }

  interrupt(): void {
    this.calls.push('interrupt');
    if (this.behaviour.heeds) this.end();
  }

  kill(): Promise<void> {
    this.calls.push('kill');
    return Promise.resolve();
  }
}

describe('commands in a visible terminal', () => {
  const never = new Promise<never>(() => undefined);
  const run = (host: TerminalHost, more: Partial<CommandRequest> = {}): Promise<CommandOutcome> =>
    manager(host).run({ sessionId: 's', command: 'echo hi', cwd: tmpdir(), signal: new AbortController().signal, ...more });
  const giving = (terminal: TerminalSession): TerminalHost => ({ ...plain, acquire: async () => terminal });

  it('run there and are cleaned of shell integration', async () => {
    const terminal = new FakeTerminal({
      says: ['\u001b]633;C\u0007h', 'i\r\n', '\u001b]633;D;1\u0007'],
      ends: true,
      code: Promise.resolve(1),
    });
    assert.deepEqual(await run(giving(terminal)), {
      output: 'hi',
      exitCode: 1,
      status: 'exited',
      via: 'terminal',
      truncatedLines: 0,
    });
    assert.deepEqual(terminal.calls, ['execute echo hi']);
  });

  it('say whether the terminal shows the first of them as the text of eval', async () => {
    const shown = async (isFirstEval: boolean) => {
      const session = new FakeTerminal({ says: ['hi'], ends: true, code: Promise.resolve(0) });
      const terminal: TerminalSession = {
        interrupt: () => undefined,
        detach: () => undefined,
        kill: () => Promise.resolve(),
        execute: (command) => ({ ...session.execute(command), isFirstEval }),
      };
      return (await run(giving(terminal))).isFirstEval;
    };
    assert.deepEqual([await shown(true), await shown(false)], [true, undefined]);
  });

  it('do without an exit code that never comes', async () => {
    const terminal = new FakeTerminal({ says: ['hi'], ends: true, code: never });
    assert.deepEqual([(await run(giving(terminal))).exitCode, terminal.calls], [null, ['execute echo hi']]);
  });

  it('end with their terminal, though its output does not', async () => {
    const terminal = new FakeTerminal({ says: ['hi'], ends: false, code: Promise.resolve('closed') });
    const outcome = await run(giving(terminal));
    assert.deepEqual([outcome.status, outcome.output, outcome.exitCode], ['closed', 'hi', null]);
  });

  it('end with the last command of a shell, which takes its terminal along', async () => {
    const session = new FakeTerminal({ says: ['hi'], ends: true, code: never });
    const terminal: TerminalSession = {
      interrupt: () => undefined,
      detach: () => undefined,
      kill: () => Promise.resolve(),
      execute: (command) => ({ ...session.execute(command), end: Promise.resolve({ exitCode: 3, isClosed: true }) }),
    };
    const outcome = await run(giving(terminal));
    assert.deepEqual([outcome.status, outcome.exitCode], ['exited', 3]);
  });

  it('are read to the last word, which may come after the news that they have ended', async () => {
    const terminal: TerminalSession = {
      interrupt: () => undefined,
      detach: () => undefined,
      kill: () => Promise.resolve(),
      execute: () => ({ output: slowly('one ', 'two ', 'three'), end: Promise.resolve({ exitCode: 0, isClosed: false }) }),
    };
    assert.equal((await run(giving(terminal))).output, 'one two three');
  });

  it('are interrupted when their time is up, and killed when that does not help', async () => {
    const kind = new FakeTerminal({ says: ['hi'], ends: false, code: never, heeds: true });
    const stubborn = new FakeTerminal({ says: ['hi'], ends: false, code: never });
    const outcomes = [await run(giving(kind), { timeoutMs: 50 }), await run(giving(stubborn), { timeoutMs: 50 })];
    assert.deepEqual(
      outcomes.map(({ status, output }) => [status, output]),
      [
        ['timedOut', 'hi'],
        ['timedOut', 'hi'],
      ],
    );
    assert.equal(stubborn.calls.includes('kill'), true);
    assert.equal(kind.calls.includes('interrupt'), true);
  });

  it('are interrupted on Stop', async () => {
    const stopping = new AbortController();
    const terminal = new FakeTerminal({ says: ['hi'], ends: false, code: never });
    const { status } = await run(giving(terminal), { signal: stopping.signal, onOutput: () => stopping.abort() });
    assert.deepEqual([status, terminal.calls], ['cancelled', ['execute echo hi', 'interrupt', 'kill']]);
  });

  for (const [what, kill] of [
    ['closes at once', () => Promise.resolve()],
    ['cannot be closed', () => Promise.reject(new Error('no'))],
    ['is never closed', () => never],
  ] as const) {
    for (const status of ['cancelled', 'timedOut'] as const) {
      it(`are ${status} within a second of it though they heed nothing, in a terminal that ${what}`, async () => {
        const clock = new ManualClock(0);
        const stopping = new AbortController();
        const terminal = new FakeTerminal({ says: ['hi'], ends: false, code: never });
        terminal.kill = kill;
        const patient = new TerminalManager(giving(terminal), clock, silentLogger);
        const request = { sessionId: 's', command: 'sleep 1000', cwd: tmpdir(), timeoutMs: 60_000, signal: stopping.signal };
        let outcome: CommandOutcome | undefined;
        void patient.run(request).then((done) => (outcome = done));
        await clock.advance(status === 'timedOut' ? 60_000 : 5000);
        if (status === 'cancelled') stopping.abort();
        await clock.advance(499);
        assert.equal(outcome, undefined);
        await clock.advance(501);
        assert.deepEqual(outcome, { output: 'hi', exitCode: null, status, via: 'terminal', truncatedLines: 0 });
      });
    }
  }

  it('run in a child process when there is no terminal, or none that works', async () => {
    const hosts: TerminalHost[] = [
      { ...plain, acquire: async () => undefined },
      { ...plain, acquire: () => Promise.reject(new Error('no terminals here')) },
    ];
    for (const host of hosts) {
      assert.deepEqual(await run(host), { output: 'hi', exitCode: 0, status: 'exited', ...hidden, truncatedLines: 0 });
    }
  });

  it('have the environment of a terminal in a child process, too', async () => {
    const host: TerminalHost = {
      shellWithoutTerminal: async () => ({ env: { ...process.env, FROM_SETTINGS: 'of the terminal' } }),
      acquire: async () => undefined,
    };
    const { output } = await manager(host).run({
      sessionId: 's',
      command: 'echo "$FROM_SETTINGS"',
      cwd: tmpdir(),
      signal: new AbortController().signal,
    });
    assert.equal(output, 'of the terminal');
  });

  it('run in the shell of the terminal, and say its name', async () => {
    const host: TerminalHost = {
      shellWithoutTerminal: async () => ({ file: '/bin/bash', env: { ...process.env, SHELL: '/bin/sh' } }),
      acquire: async () => undefined,
    };
    const { output, shell } = await run(host, { command: 'echo "${BASH_VERSION:+bash}"' });
    assert.deepEqual([output, shell], ['bash', 'bash']);
  });

  it('are not begun by Stop that comes while the shell of the terminal starts', async () => {
    const stopping = new AbortController();
    const host: TerminalHost = {
      acquire: async () => undefined,
      shellWithoutTerminal: () => {
        stopping.abort();
        return never;
      },
    };
    await assert.rejects(run(host, { signal: stopping.signal }), CancelledError);
  });

  it('run in a child process when the terminal is never there', async () => {
    const waits: number[] = [];
    const clock: Clock = {
      ...systemClock,
      sleep: (ms, signal) => {
        if (ms === 25_000) waits.push(ms);
        return ms === 25_000 ? Promise.resolve() : systemClock.sleep(ms, signal);
      },
    };
    const patient = new TerminalManager({ ...plain, acquire: () => never }, clock, silentLogger);
    const { via, output } = await patient.run({
      sessionId: 's',
      command: 'echo hi',
      cwd: process.cwd(),
      signal: new AbortController().signal,
    });
    assert.deepEqual([via, output, waits], ['childProcess', 'hi', [25_000]]);
  });

  it('run in a child process where a terminal would make something else of them', async () => {
    const terminal = new FakeTerminal({ says: ['typed'], ends: true, code: Promise.resolve(0) });
    const commands: [string, string][] = [
      ["cat <<'END'\nall:\n\techo hi\nEND", 'all:\n\techo hi'],
      ["printf 'a\tb'", 'a\tb'],
      ['echo a!!', 'a!!'],
      ['echo a # b; echo c', 'a'],
      ['rm -f ./none-such/*; echo removed', 'removed'],
      ['echo 正規表現', '正規表現'],
      ['echo カナ 한국 ｆ', 'カナ 한국 ｆ'],
      ['echo 🙂 ✅', '🙂 ✅'],
    ];
    for (const [command, output] of commands) {
      const outcome = await run(giving(terminal), { command });
      assert.deepEqual([outcome.via, outcome.exitCode, outcome.output], ['childProcess', 0, output]);
    }
    assert.deepEqual(terminal.calls, []);
    const typed = ['test a != b', '! true', 'echo a#b', 'echo "ümläut – ñ עברית ✔ ©"'];
    for (const command of typed) assert.equal((await run(giving(terminal), { command })).via, 'terminal');
    assert.equal(terminal.calls.length, typed.length);
  });

  it('do not begin when Stop comes while the terminal is made', async () => {
    const stopping = new AbortController();
    const host: TerminalHost = {
      ...plain,
      acquire: () => {
        stopping.abort();
        return never;
      },
    };
    await assert.rejects(run(host, { signal: stopping.signal }), CancelledError);
  });
});
