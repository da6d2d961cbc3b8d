import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { PathError } from '../../../../src/services/files/pathError';
import { runTerminalCommandTool } from '../../../../src/agent/tools/command/runTerminalCommand';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import type { BackgroundCommand } from '../../../../src/protocol/requests/runningCommands';
import type { BackgroundReport, BackgroundRequest } from '../../../../src/services/terminal/run/backgroundCommands';
import { formatOutput } from '../../../../src/services/terminal/run/outputFormatter';
import type { CommandOutcome, CommandRequest, EndedCommand } from '../../../../src/services/terminal/run/terminalManager';
import { ToolBench } from '../support/toolBench';

describe('run_terminal_command', () => {
  let bench: ToolBench;
  let requests: CommandRequest[];
  let ended: EndedCommand;
  let outcome: CommandOutcome;
  let begun: BackgroundRequest[];
  let running: BackgroundCommand[];
  let report: BackgroundReport;
  /** Commands that were followed until they ended. */
  let followed: string[][];
  beforeEach(async () => {
    bench = await ToolBench.start();
    requests = [];
    begun = [];
    running = [];
    followed = [];
    report = {
      id: 'terminal-1a2b',
      command: 'npm run dev',
      pid: 4711,
      state: 'running',
      exitCode: null,
      runningFor: 1500,
      output: 'listening',
      truncatedLines: 0,
    };
    ended = { output: 'fine', exitCode: 0, status: 'exited', via: 'childProcess', truncatedLines: 0 };
    outcome = ended;
  });
  afterEach(() => bench.stop());

  const run = (input: Record<string, unknown>): Promise<ToolResult> => {
    const terminals = { run: async (request: CommandRequest) => (requests.push(request), outcome) };
    const background = {
      start: async (request: BackgroundRequest) => (begun.push(request), report),
      running: () => running,
      whenEnded: async (sessionId: string, id: string) => void followed.push([sessionId, id]),
    };
    return bench.run(runTerminalCommandTool(bench.access, { terminals, background }), input);
  };

  it('asks with the folder, the severity and the reasons, then runs', async () => {
    assert.deepEqual(await run({ cmd: 'git push' }), {
      status: 'success',
      content: 'Exit code: 0\nfine',
      summary: 'exit code 0',
      display: 'fine',
      details: { via: 'childProcess', exitCode: 0 },
    });
    const parts = [{ text: 'git push', severity: 'high' }];
    assert.deepEqual(bench.questions, [
      {
        kind: 'command',
        command: 'git push',
        cwd: '.',
        severity: 'high',
        parts,
        reasons: ['publishes commits'],
        canAllowAlways: true,
      },
    ]);
    assert.deepEqual(
      requests.map(({ command, cwd, timeoutMs, sessionId }) => ({ command, cwd, timeoutMs, sessionId })),
      [{ command: 'git push', cwd: bench.file(), timeoutMs: 120_000, sessionId: 'session' }],
    );
  });

  it('asks for a harmless command too, whatever the model says about it', async () => {
    bench.isApproved = false;
    const result = await run({ command: 'ls', requires_approval: false, safe: true });
    assert.deepEqual([result.status, requests.length, bench.questions.length], ['denied', 0, 1]);
  });

  it('refuses what a terminal would take for key presses, without a question', async () => {
    for (const command of ['# List the files\u0015touch owned', 'ls\u007f', 'ls\u001b[A', 'ls\r', 'ls\u0085']) {
      const result = await run({ command });
      assert.deepEqual([result.status, /control character U\+[0-9A-F]{4}/.test(result.content)], ['error', true]);
    }
    assert.deepEqual([requests.length, bench.questions.length], [0, 0]);
  });

  it('calls a command with invisible characters grave', async () => {
    await run({ command: 'echo \u202etxt.harmless' });
    assert.deepEqual([bench.questions[0]?.severity, bench.questions[0]?.reasons?.[0]], ['high', 'contains invisible characters']);
  });

  it('runs in the folder that was asked for', async () => {
    await mkdir(bench.file('sub'));
    await run({ command: 'ls', cwd: 'sub' });
    assert.deepEqual([bench.questions[0]?.cwd, requests[0]?.cwd], ['sub', bench.file('sub')]);
    const { status, content } = await run({ command: 'ls', cwd: 'none' });
    assert.deepEqual([status, content], ['error', 'The command was not run: there is no folder none.']);
    await assert.rejects(run({ command: 'ls', cwd: '//server/share' }), PathError);
    assert.deepEqual([requests.length, bench.questions.length], [1, 1]);
  });

  it('asks with the real path for a folder outside the workspace, whatever was allowed, each time', async () => {
    await symlink(bench.root, bench.file('exit'));
    bench.grants = {
      commands: true,
      sandbox: false,
      hosts: [],
      sensitiveEdits: true,
      allowedCommands: [{ command: 'ls', cwd: bench.root }],
      files: [],
    };
    for (const cwd of ['exit', '..', bench.root]) await run({ command: 'ls', cwd });
    assert.deepEqual(
      bench.questions.map(({ cwd, reasons, canAllowAlways }) => [cwd, reasons?.[0], canAllowAlways]),
      Array.from({ length: 3 }, () => [bench.root.replaceAll(path.sep, '/'), 'starts outside the workspace', false]),
    );
    assert.deepEqual(
      requests.map(({ cwd }) => cwd),
      Array.from({ length: 3 }, () => bench.root),
    );
  });

  it('says how to get the lines that are left out', async () => {
    outcome = { ...ended, output: 'first\n[7 lines truncated]\nlast', truncatedLines: 7 };
    const { content, display } = await run({ command: 'ls' });
    assert.match(
      content,
      /^Exit code: 0\nfirst\n\[7 lines truncated\]\nlast\n\[Only the first and last lines are shown\. .*grep/,
    );
    assert.equal(display, 'first\n[7 lines truncated]\nlast');
  });

  it('says how to get the rest of a line that is cut', async () => {
    const { text: output } = formatOutput('x'.repeat(1500));
    outcome = { ...ended, output, truncatedLines: 0 };
    const { content } = await run({ command: 'ls' });
    assert.match(content, /x… \[500 characters cut\]\n\[Only the beginnings of very long lines are shown\. .*into a file/);
  });

  it('keeps the time limit between a second and ten minutes', async () => {
    for (const timeoutMs of [1, 5000, 1e9]) await run({ command: 'ls', timeoutMs });
    assert.deepEqual(
      requests.map((request) => request.timeoutMs),
      [1000, 5000, 600_000],
    );
  });

  it('begins a command in the background once it is approved, and tells how to read on', async () => {
    const result = await run({ command: 'npm run dev', is_background: 'true' });
    assert.deepEqual(result, {
      status: 'success',
      content:
        'Running in the background as terminal-1a2b (process 4711). Read on with get_terminal_output. Output so far:\nlistening',
      summary: 'in the background',
      display: 'listening',
      details: { background: 'terminal-1a2b' },
    });
    assert.deepEqual([begun.map(({ command, cwd }) => [command, cwd]), requests.length], [[['npm run dev', bench.file()]], 0]);
    assert.equal(bench.questions[0]?.reasons?.includes('keeps running in the background'), true);
    bench.isApproved = false;
    assert.deepEqual([(await run({ command: 'npm run dev', background: true })).status, begun.length], ['denied', 1]);
  });

  it('tells of a background command that ended at once how it did', async () => {
    report = { ...report, state: 'exited', exitCode: 1, output: 'the port is taken' };
    const { status, content } = await run({ command: 'npm run dev', background: true });
    assert.deepEqual([status, content], ['error', 'terminal-1a2b has ended after 2 s. Exit code: 1\nthe port is taken']);
  });

  it('tells the model that the user let the command continue in the background, and how to read on', async () => {
    outcome = { ...ended, exitCode: null, status: 'background', background: report };
    const result = await run({ command: 'npm run dev' });
    assert.deepEqual(result, {
      status: 'success',
      content:
        'The user let the command continue in the background as terminal-1a2b (process 4711). It has not ended: do not run it again. Read on with get_terminal_output. Output so far:\nlistening',
      summary: 'in the background',
      display: 'listening',
      details: { background: 'terminal-1a2b' },
    });
    assert.deepEqual([followed, bench.followed.length], [[['session', 'terminal-1a2b']], 1]);
  });

  it('does not begin more in the background than a person can keep an eye on', async () => {
    running = Array.from({ length: 8 }, (_, index) => ({ id: `terminal-${index}`, command: 'sleep 1' }));
    const { status, content } = await run({ command: 'npm run dev', background: true });
    assert.deepEqual([status, begun.length, bench.questions.length, content.split('\n').length], ['error', 0, 0, 9]);
  });

  const outcomes: [string, Partial<EndedCommand>, Partial<ToolResult>][] = [
    ['a failing command', { exitCode: 2 }, { status: 'error', content: 'Exit code: 2\nfine', summary: 'exit code 2' }],
    ['a command of unknown end', { exitCode: null }, { status: 'success', content: 'Exit code: unknown\nfine' }],
    ['silence', { output: '' }, { status: 'success', content: 'Exit code: 0\n(no output)' }],
    [
      'a command out of time',
      { exitCode: null, status: 'timedOut' },
      {
        status: 'error',
        content:
          'The command had not ended after 120 s and was stopped. Output so far:\nfine\n[It gets no input: if it waits for an answer, give it in the command. If it is a server or a watcher, set background to true. If it only takes long, give a larger timeoutMs.]',
      },
    ],
    [
      'a closed terminal',
      { exitCode: null, status: 'closed' },
      {
        status: 'error',
        content: 'The terminal was closed before the command had ended. Output so far:\nfine',
        summary: 'terminal closed',
      },
    ],
    [
      'a stopped command',
      { exitCode: null, status: 'cancelled' },
      { status: 'cancelled', content: 'The user stopped the command. Output so far:\nfine' },
    ],
  ];
  for (const [what, given, wanted] of outcomes) {
    it(`tells the model of ${what}`, async () => {
      outcome = { ...ended, ...given };
      const result = await run({ command: 'x' });
      assert.deepEqual({ ...result, ...wanted }, result);
    });
  }
});
