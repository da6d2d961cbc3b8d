import assert from 'node:assert/strict';
import { getTerminalOutputTool } from '../../../../src/agent/tools/command/getTerminalOutput';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import type { BackgroundReport } from '../../../../src/services/terminal/run/backgroundCommands';
import { ToolBench } from '../support/toolBench';

describe('get_terminal_output', () => {
  const report: BackgroundReport = {
    id: 'terminal-1a2b',
    command: 'npm run dev',
    pid: 1,
    state: 'running',
    exitCode: null,
    runningFor: 12_300,
    output: 'listening',
    truncatedLines: 0,
  };
  const run = async (
    input: Record<string, unknown>,
    given: Partial<BackgroundReport> = {},
    ids = [report.id],
  ): Promise<ToolResult> => {
    const bench = await ToolBench.start();
    try {
      const look = async (_: string, id: string) => (ids.includes(id) ? { ...report, ...given } : undefined);
      const tool = getTerminalOutputTool({
        readOutput: look,
        ids: () => ids,
        findCommand: (id) => (id === report.id ? report.command : undefined),
      });
      assert.equal(tool.label({ id: report.id }), 'npm run dev');
      return await bench.run(tool, input);
    } finally {
      await bench.stop();
    }
  };

  const reports: [string, Partial<BackgroundReport>, ToolResult][] = [
    [
      'that runs',
      {},
      {
        status: 'success',
        content: 'terminal-1a2b is running, for 12 s so far. Output so far:\nlistening',
        summary: 'still running',
        display: 'listening',
        details: { background: 'terminal-1a2b' },
      },
    ],
    [
      'that failed',
      { state: 'exited', exitCode: 3, output: '' },
      {
        status: 'error',
        content: 'terminal-1a2b has ended after 12 s. Exit code: 3\n(no output)',
        summary: 'exit code 3',
        display: '',
        details: { background: 'terminal-1a2b', exitCode: 3 },
      },
    ],
    [
      'that was stopped',
      { state: 'stopped', exitCode: 143, truncatedLines: 7 },
      {
        status: 'success',
        content:
          'terminal-1a2b was stopped. Output:\nlistening\n[Only the first and last lines are shown. For the others, run it again with a filter such as grep, or into a file and read that.]',
        summary: 'stopped',
        display: 'listening',
        details: { background: 'terminal-1a2b', exitCode: 143, truncatedLines: 7 },
      },
    ],
  ];
  for (const [what, given, wanted] of reports) {
    it(`tells of a command ${what}`, async () => {
      assert.deepEqual(await run({ id: report.id }, given), wanted);
    });
  }

  it('takes the id under other names', async () => {
    for (const name of ['terminal_id', 'terminalId', 'commandId'])
      assert.equal((await run({ [name]: report.id })).status, 'success');
  });

  it('names those that there are', async () => {
    assert.equal((await run({ id: 'x' })).content, 'There is no background command "x". There are: terminal-1a2b.');
    assert.equal(
      (await run({ id: 'x' }, {}, [])).content,
      'There is no background command "x". No command of this chat runs in the background.',
    );
  });
});
