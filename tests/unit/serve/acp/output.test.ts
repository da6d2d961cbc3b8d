import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { until } from '../../../support/until';
import { Workplace } from './workplace';

/** Returns the status and text of each update of a call. */
function stepsOf(updates: readonly SessionUpdate[]): [string, string][] {
  return updates.flatMap((update): [string, string][] => {
    if (update.sessionUpdate !== 'tool_call_update') return [];
    const [first] = update.content ?? [];
    return [[String(update.status), first?.type === 'content' && first.content.type === 'text' ? first.content.text : '']];
  });
}

describe('output of commands in the Agent Client Protocol', () => {
  let work: Workplace;

  beforeEach(async () => {
    work = await Workplace.open([{ name: 'worker', capabilities: ['completion', 'tools'] }]);
  });

  afterEach(() => work.close());

  it('is shown while the command runs, without keys, and then as its result', async () => {
    const key = 'ghp_' + 'a1B2'.repeat(9);
    // The script continues after the test has seen its first lines.
    const script = [
      `console.log('first'); console.log('token=${key}'); console.log('\\u001b[31mred\\u001b[0m');`,
      `const { existsSync } = require('node:fs');`,
      `const wait = () => existsSync('go') ? console.log('last') : setTimeout(wait, 20); wait();`,
    ];
    await writeFile(path.join(work.folder, 'slow.cjs'), script.join('\n'));
    const input = { name: 'run_terminal_command', arguments: { command: 'node slow.cjs' } };
    work.double.script.push(`<tool_call>${JSON.stringify(input)}</tool_call>`, 'Done. [TASK_COMPLETE]');
    const session = await work.editor.begin(work.folder);
    const prompted = work.editor.prompt(session, 'Run it');
    await until(() => stepsOf(work.editor.updates).some(([, text]) => text.includes('red')));
    const shown = stepsOf(work.editor.updates);
    await writeFile(path.join(work.folder, 'go'), '');
    await prompted;
    assert.ok(shown.every(([status]) => status === 'in_progress'));
    assert.match(shown.at(-1)?.[1] ?? '', /^```\nfirst\n[^]*red\n```$/);
    const all = stepsOf(work.editor.updates);
    assert.equal(all.at(-1)?.[0], 'completed');
    assert.match(all.at(-1)?.[1] ?? '', /Exit code: 0[^]*first[^]*last/);
    assert.doesNotMatch(JSON.stringify(work.editor.updates), new RegExp(`${key}|\\\\u001b\\[31m`));
  });

  it('is not sent to another session', async () => {
    const input = {
      name: 'run_terminal_command',
      arguments: { command: `node -e "console.log('mine'); setTimeout(() => 0, 600)"` },
    };
    work.double.script.push(`<tool_call>${JSON.stringify(input)}</tool_call>`, 'Done. [TASK_COMPLETE]');
    await work.editor.begin(work.folder);
    const second = await work.editor.begin(work.folder);
    await work.editor.prompt(second, 'Run it');
    const told = work.editor.notified.filter(({ update }) => update.sessionUpdate === 'tool_call_update');
    assert.ok(told.length > 0 && told.every(({ sessionId }) => sessionId === second));
  });
});
