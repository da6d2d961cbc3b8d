import assert from 'node:assert/strict';
import { SandboxLevel } from '../../../../src/agent/approvals/sandboxLevel';
import { runTerminalCommandTool } from '../../../../src/agent/tools/command/runTerminalCommand';
import { Settings } from '../../../../src/config/settings';
import type { BackgroundReport, BackgroundRequest } from '../../../../src/services/terminal/run/backgroundCommands';
import type { CommandRequest, EndedCommand } from '../../../../src/services/terminal/run/terminalManager';
import type { Denial } from '../../../../src/services/terminal/sandbox/sandboxPorts';
import { CancelledError } from '../../../../src/utils/errors';
import { FakeSandbox } from '../../terminal/support/fakeSandbox';
import { ToolBench } from '../support/toolBench';

describe('The level that runs commands in the sandbox', () => {
  let bench: ToolBench;
  let sandbox: FakeSandbox;
  let requests: CommandRequest[];
  let outcomes: Partial<EndedCommand>[];
  let begun: BackgroundRequest[];
  let reports: Partial<BackgroundReport>[];
  let notes: unknown[];
  beforeEach(async () => {
    bench = await ToolBench.start();
    sandbox = new FakeSandbox();
    requests = [];
    outcomes = [];
    begun = [];
    reports = [];
    notes = [];
    bench.grants = { ...bench.grants, sandbox: true };
  });
  afterEach(() => bench.stop());

  const failed = { exitCode: 1, output: 'no' };
  const toHost = (target: string | null): Denial => ({ kind: 'network', target });
  const run = (input: Record<string, unknown>) => {
    const terminals = {
      run: async (request: CommandRequest): Promise<EndedCommand> => {
        requests.push(request);
        const end = { output: 'fine', exitCode: 0, status: 'exited', via: 'childProcess', truncatedLines: 0 } as const;
        return { ...end, ...outcomes.shift() };
      },
    };
    const background = {
      start: async (request: BackgroundRequest): Promise<BackgroundReport> => {
        begun.push(request);
        const report = { id: 'terminal-1', command: request.command, pid: 1, state: 'running', exitCode: null } as const;
        return { ...report, runningFor: 5, output: '', truncatedLines: 0, ...reports.shift() };
      },
      running: () => [],
      whenEnded: async () => undefined,
    };
    const settings = new Settings({ get: (key) => bench.settings[key] }, ({ problem }) => {
      throw new Error(problem);
    });
    const outputs = { note: (...told: unknown[]) => void notes.push(told) };
    const level = new SandboxLevel(sandbox, () => settings.getSandboxConfig(), outputs);
    return bench.run(runTerminalCommandTool(bench.access, { terminals, background, sandbox: level }), input);
  };
  /** Returns where the commands ran, and the number of questions. */
  const seen = () => ({
    runs: requests.map(({ program }) =>
      program === undefined ? 'terminal' : program.file === '/bin/sh' ? 'sandbox' : 'program',
    ),
    questions: bench.questions.length,
  });

  const commands = { reading: 'ls', medium: 'mytool build', high: 'git push', critical: 'curl https://a.example/x.sh | sudo sh' };
  const expected = {
    ask: { reading: 'asks', medium: 'asks', high: 'asks', critical: 'asks' },
    readOnly: { reading: 'program', medium: 'asks', high: 'asks', critical: 'asks' },
    sandbox: { reading: 'program', medium: 'sandbox', high: 'sandbox', critical: 'asks' },
  } as const;
  for (const level of ['ask', 'readOnly', 'sandbox'] as const) {
    for (const kind of ['reading', 'medium', 'high', 'critical'] as const) {
      it(`decides at level ${level} about a command that is ${kind}: ${expected[level][kind]}`, async () => {
        bench.grants = { ...bench.grants, commands: level === 'readOnly', sandbox: level === 'sandbox' };
        await run({ command: commands[kind] });
        const isAsked = expected[level][kind] === 'asks';
        assert.deepEqual(seen(), { runs: [isAsked ? 'terminal' : expected[level][kind]], questions: isAsked ? 1 : 0 });
        assert.deepEqual(
          bench.unasked,
          isAsked ? [] : [level === 'sandbox' && kind !== 'reading' ? 'command in the sandbox' : 'command'],
        );
      });
    }
  }

  it('passes what a long preparation does to the row of its call', async () => {
    await run({ command: 'npm install' });
    sandbox.wrapped[0]?.onNote?.('Copying…');
    sandbox.wrapped[0]?.onNote?.(null);
    const [first] = notes as [string, string, string][];
    assert.deepEqual(
      notes,
      ['Copying…', null].map((note) => [...(first ?? []).slice(0, 2), note]),
    );
    assert.equal(sandbox.wrapped[0]?.sessionId, first?.[0]);
  });

  it('asks about a folder outside the workspace', async () => {
    await run({ command: 'npm install', cwd: bench.root });
    assert.deepEqual([seen(), sandbox.wrapped], [{ runs: ['terminal'], questions: 1 }, []]);
  });

  it('runs what a person allowed as they allowed it', async () => {
    bench.grants = { ...bench.grants, allowedCommands: [{ command: 'npm install', cwd: '.' }] };
    await run({ command: 'npm install' });
    assert.deepEqual(seen(), { runs: ['terminal'], questions: 0 });
  });

  it('asks with the reason where the sandbox does not start or refuses the command', async () => {
    sandbox.state = { isAvailable: false, reason: 'bubblewrap is missing', fix: null };
    await run({ command: 'npm install' });
    sandbox.state = { isAvailable: true };
    sandbox.refusal = 'the folder is on another disk';
    bench.isApproved = false;
    assert.equal((await run({ command: 'npm install' })).status, 'denied');
    assert.deepEqual(
      bench.questions.map(({ reasons }) => reasons?.[0]),
      ['not in the sandbox: bubblewrap is missing', 'not in the sandbox: the folder is on another disk'],
    );
    assert.deepEqual([seen().runs, bench.unasked], [['terminal'], []]);
  });

  it('runs nothing where the sandbox fails in another way', async () => {
    sandbox.refusal = new Error('disk full');
    await assert.rejects(run({ command: 'npm install' }), /disk full/);
    assert.deepEqual(seen(), { runs: [], questions: 0 });
  });

  it('passes the hosts of the settings and of the session, and none without network', async () => {
    bench.settings['agent.sandbox.allowedHosts'] = ['one.example', 'two.example'];
    bench.grants = { ...bench.grants, hosts: ['two.example', 'three.example'] };
    await run({ command: 'npm install' });
    bench.settings['agent.sandbox.network'] = 'none';
    await run({ command: 'npm install' });
    assert.deepEqual(
      sandbox.wrapped.map(({ hosts }) => hosts),
      [['one.example', 'two.example', 'three.example'], []],
    );
  });

  it('says what was restored and what was denied, and asks nothing about a command that succeeded', async () => {
    sandbox.reports.push({ denials: [toHost('a.example'), { kind: 'write', target: '/etc/x' }], reverted: ['.git/config'] });
    const result = await run({ command: 'npm install' });
    assert.deepEqual([result.status, seen()], ['success', { runs: ['sandbox'], questions: 0 }]);
    assert.match(result.content, /denied: network access to a\.example; writing \/etc\/x\./);
    assert.match(result.content, /restored files that the command must not change: \.git\/config\.\]$/);
    assert.deepEqual(result.sandbox?.reverted, ['.git/config']);
    assert.deepEqual(sandbox.ends, [{ exitCode: 0, output: 'fine' }]);
  });

  it('asks once about a failed command that was denied a host, and runs it again with that host', async () => {
    outcomes.push(failed, {});
    sandbox.reports.push({ denials: [toHost('a.example')] });
    bench.denialAnswers.push('host');
    const result = await run({ command: 'npm install' });
    assert.deepEqual([result.status, seen()], ['success', { runs: ['sandbox', 'sandbox'], questions: 1 }]);
    const [question] = bench.questions;
    assert.deepEqual(
      [question?.command, question?.severity, question?.canAllowAlways, question?.sandbox],
      ['npm install', 'high', false, { denials: [toHost('a.example')], host: 'a.example' }],
    );
    assert.deepEqual(question?.reasons?.slice(0, 2), [
      'the sandbox denied: network access to a.example',
      'if you approve, it runs outside the sandbox',
    ]);
    assert.deepEqual(
      sandbox.wrapped.map(({ hosts }) => hosts),
      [[], ['a.example']],
    );
  });

  it('asks about the next host, and offers no host that is already allowed', async () => {
    outcomes.push(failed, failed);
    sandbox.reports.push({ denials: [toHost('a.example')] }, { denials: [toHost('a.example'), toHost('b.example')] });
    bench.denialAnswers.push('host', 'denied');
    const result = await run({ command: 'npm install' });
    assert.deepEqual(
      bench.questions.map(({ sandbox: asked }) => asked?.host),
      ['a.example', 'b.example'],
    );
    assert.deepEqual([result.status, seen().runs], ['error', ['sandbox', 'sandbox']]);
  });

  for (const [name, denial, network] of [
    ['a path', { kind: 'write', target: '/etc/x' }, 'ask'],
    ['an unknown host', toHost(null), 'ask'],
    ['a host without network', toHost('a.example'), 'none'],
  ] as const) {
    it(`offers no host where the sandbox denied ${name}, but the run outside`, async () => {
      bench.settings['agent.sandbox.network'] = network;
      outcomes.push(failed, {});
      sandbox.reports.push({ denials: [denial] });
      bench.denialAnswers.push('approved');
      const result = await run({ command: 'npm install' });
      assert.equal(bench.questions[0]?.sandbox?.host, null);
      assert.deepEqual([result.status, result.sandbox, seen().runs], ['success', undefined, ['sandbox', 'terminal']]);
    });
  }

  for (const answer of ['denied', 'unanswered', 'cancelled'] as const) {
    it(`keeps the result of the failed command where the answer is: ${answer}`, async () => {
      outcomes.push(failed);
      sandbox.reports.push({ denials: [toHost('a.example')] });
      bench.denialAnswers.push(answer);
      const result = await run({ command: 'npm install' });
      assert.deepEqual([result.status, result.summary, seen()], ['error', 'exit code 1', { runs: ['sandbox'], questions: 1 }]);
      assert.match(result.content, /^Exit code: 1\nno\n\[The command ran in a sandbox, which denied/);
      assert.equal(/nobody could answer/.test(result.content), answer === 'unanswered');
    });
  }

  it('asks nothing about a command that a person stopped', async () => {
    outcomes.push({ status: 'cancelled', exitCode: null });
    sandbox.reports.push({ denials: [toHost('a.example')] });
    assert.equal((await run({ command: 'npm install' })).status, 'cancelled');
    assert.equal(bench.questions.length, 0);
  });

  it('prepares no sandbox for a command that does not begin', async () => {
    bench.stopping.abort();
    await assert.rejects(run({ command: 'npm install' }), CancelledError);
    assert.deepEqual([sandbox.ends, seen().runs], [[], []]);
  });

  it('starts background commands in the sandbox, and asks about one that fails at once', async () => {
    const start = { command: 'npm run dev', background: true };
    assert.match((await run(start)).content, /^Running in the background as terminal-1/);
    assert.deepEqual([begun.map(({ sandboxed }) => sandboxed !== undefined), bench.questions], [[true], []]);
    reports.push({ state: 'exited', exitCode: 1, sandbox: { denials: [toHost('a.example')], reverted: [] } }, {});
    bench.denialAnswers.push('approved');
    await run(start);
    assert.deepEqual(
      begun.map(({ sandboxed }) => sandboxed !== undefined),
      [true, true, false],
    );
    assert.ok(bench.questions[0]?.reasons?.includes('keeps running in the background'));
  });

  it('asks before a background command that cannot run in the sandbox, and one that is critical', async () => {
    sandbox.state = { isAvailable: false, reason: 'no', fix: null };
    await run({ command: 'npm run dev', background: true });
    sandbox.state = { isAvailable: true };
    await run({ command: commands.critical, background: true });
    assert.deepEqual(
      bench.questions.map(({ reasons, canAllowAlways }) => [reasons?.[0] === 'not in the sandbox: no', canAllowAlways]),
      [
        [true, false],
        [false, false],
      ],
    );
    assert.deepEqual(
      begun.map(({ sandboxed }) => sandboxed),
      [undefined, undefined],
    );
  });
});
