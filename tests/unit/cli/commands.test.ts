import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../../../src/cli/commands';
import { ApiBench } from '../api/support';

describe('the command ollama-copilot', () => {
  let bench: ApiBench;
  let written: string;
  let noted: string;
  beforeEach(async () => {
    bench = await ApiBench.start();
    [written, noted] = ['', ''];
  });
  afterEach(() => bench.stop());

  const run = (args: string[], askText: ((prompt: string) => Promise<string>) | null = null) =>
    runCommand(['--connect', path.join(bench.agent.storageFolder(), 'api.json'), ...args], {
      write: (text) => void (written += text),
      writeDocument: (text) => void (written += text),
      note: (text) => void (noted += text),
      fresh: () => undefined,
      size: () => ({ columns: 80, rows: 24 }),
      ...{ askText, environment: {}, signal: new AbortController().signal },
    });

  it('asks, prints the answer as it comes, lists the session and exports it', async () => {
    bench.agent.double.script.push(['One ', 'two.']);
    assert.equal(await run(['ask', 'Count', 'to', 'two']), 0, noted);
    assert.equal(written, 'One two.\n');
    written = '';
    assert.equal(await run(['sessions']), 0);
    const [, id = ''] = /^(\S+) .* Count to two\n$/.exec(written) ?? [];
    written = '';
    assert.equal(await run(['export', id]), 0, noted);
    assert.match(written, /^# Count to two\n[^]*## You\n[^]*Count to two\n[^]*One two\.\n/);
    written = '';
    bench.agent.double.script.push('Three.');
    assert.equal(await run(['ask', 'And', 'on', '--session', id]), 0, noted);
    assert.equal(written, 'Three.\n');
    assert.deepEqual(bench.asked, ['ollama-copilot write']);
  });

  it('lets the agent work, with the questions answered on the terminal', async () => {
    const call = '<tool_call>{"name": "run_terminal_command", "arguments": {"command": "touch made.txt"}}</tool_call>';
    bench.agent.double.script.push(call, 'Made. [TASK_COMPLETE]');
    const prompts: string[] = [];
    const code = await run(['run', 'Make it'], async (prompt) => (prompts.push(prompt), 'y'));
    assert.equal(code, 0, noted);
    assert.deepEqual(prompts, ['Allow? [y/N] ']);
    assert.match(noted, /\? Allow this command\?\n {2}Risk {5,}│ medium.*\n {2}Folder .*\n {2}Command {2,}│ touch made\.txt\n/);
    assert.equal(existsSync(bench.agent.file('made.txt')), true);
    assert.match(written, /Made\./);
    assert.match(noted, /· run_terminal_command/);
  });

  it('says what is wrong, and how it is called', async () => {
    assert.equal(await run(['nothing']), 1);
    assert.match(noted, /There is no command nothing/);
    assert.equal(await run([]), 0);
    assert.match(written, /ollama-copilot ask TEXT/);
    noted = '';
    assert.equal(await run(['export', 'nobody']), 1);
    assert.match(noted, /no such dialog/);
    bench.allows = null;
    noted = '';
    assert.equal(await run(['ask', 'Hi']), 1);
    assert.match(noted, /Nobody has allowed “ollama-copilot” to write/);
  });
});
