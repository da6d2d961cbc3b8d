import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OllamaDouble } from '../support/ollama/double';
import type { Scripted } from '../support/ollama/doubleReply';
import { eventually } from '../support/until';
import type { ChatPage } from './chatPage';
import { worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import type { Workbench } from './support/workbench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const run = (command: string): Scripted => [call('run_terminal_command', { command })];
const make = (file: string, content: string): Scripted => [call('create_file', { path: file, content })];
const replace = (oldText: string, newText: string): Scripted => [
  call('replace_in_file', { path: 'src/discount.js', oldText, newText }),
];

/** Twelve commands and six edits. */
const work: Scripted[] = [
  run('ls -la && node --version'),
  replace('1 - percent', '1 - percent / 10'),
  run('node --test; true'),
  make('src/helper.js', 'export const one = 1;\n'),
  run('node --input-type=module -e "import(\'./src/helper.js\').then((m) => console.log(m.one))"'),
  make('CHANGES.md', '# Changes\n'),
  run('echo "- one" >> CHANGES.md && cat CHANGES.md'),
  replace('percent / 10)', 'percent / 100)'),
  run('node --test'),
  run('mkdir -p lib && cp src/*.js lib/ && rm lib/helper.js'),
  run('mv src/helper.js src/helpers.js'),
  make('src/index.js', "export * from './helpers.js';\n"),
  run('for f in src/*.js; do node --check "$f"; done'),
  run('rm -f README.md'),
  run('chmod +x src/index.js'),
  make('docs/notes.md', 'Notes.\n'),
  run('grep -rn percent src | sort'),
  run('printf "%s\\n" a b c > list.txt; sed -i s/b/B/ list.txt; cat list.txt'),
];

/** Returns a hash of the names and contents of all files in a folder, except for `.git`. */
function hashOf(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files.map((entry) => path.join(entry.parentPath, entry.name)).sort())
    if (!file.includes(`${path.sep}.git${path.sep}`)) hash.update(path.relative(folder, file)).update(readFileSync(file));
  return hash.digest('hex');
}

describe('The sandbox', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  let original: string;

  const window = { machineSettings: { 'ollamaCopilot.agent.sandbox.enabled': true } };
  chatSuite({ models: [worker], mode: 'Agent', window }, (suite) => ({ double, workbench, chat } = suite));
  before(() => (original = hashOf(workbench.folder)));

  it('runs a task of twelve commands and six edits without a question', async () => {
    double.script.push(...work, 'All done here. [TASK_COMPLETE]');
    await chat.send('Tidy up the project');
    await chat.conversation.getByText('All done here').waitFor({ timeout: 180_000 });
    await chat.settled();
    const { messages } = double.requestsTo('/api/chat').at(-1)?.body as { messages: { role: string; content: string }[] };
    const codes = messages.flatMap(({ role, content }) =>
      role === 'tool' ? (/^Exit code: (\d+)/.exec(content)?.[1] ?? []) : [],
    );
    assert.deepEqual(
      codes,
      Array.from({ length: 12 }, () => '0'),
    );
    await expect(chat.group('Approve command')).toHaveCount(0);
    await eventually(async () => assert.match(await chat.everything(), /Ran in the sandbox/));
    assert.notEqual(hashOf(workbench.folder), original);
  });

  it('gives the workspace back', async () => {
    await chat.conversation.getByRole('button', { name: 'Restore checkpoint' }).first().click();
    const plan = chat.view().getByRole('region', { name: 'Restore plan' });
    await plan.getByRole('button', { name: /^Restore \d+ files$/ }).click();
    await chat.conversation.getByText(/^Restored \d+ files/).waitFor();
    assert.equal(hashOf(workbench.folder), original);
  });

  it('shows the output while a command runs, also after a reload of the view', async () => {
    const waiting = 'echo first line; until test -e go.txt; do sleep 0.1; done; echo last line';
    double.script.push(run(waiting), 'It went on. [TASK_COMPLETE]');
    await chat.send('Wait for it');
    const output = () => chat.conversation.getByRole('group', { name: 'Output so far' });
    await output().getByText('first line').waitFor();
    await workbench.runCommand('Developer: Reload Webviews');
    await output().getByText('first line').waitFor();
    await expect(output().getByText('last line')).toHaveCount(0);
    writeFileSync(path.join(workbench.folder, 'go.txt'), '');
    await chat.conversation.getByText('It went on').waitFor();
    await expect(output()).toHaveCount(0);
    await chat.conversation.getByRole('button', { name: /^Ran echo first line/ }).click();
    const whole = chat.conversation.getByLabel('Output', { exact: true });
    await eventually(async () => assert.match((await whole.textContent()) ?? '', /first line\nlast line/));
  });

  it('asks before a command outside, when the sandbox denied the network', async () => {
    double.script.push(
      run('node -e "fetch(\'https://files.example.org\').catch((e) => { console.error(e.cause); process.exit(1); })"'),
      'No luck. [TASK_COMPLETE]',
    );
    await chat.send('Fetch the file');
    const card = chat.view().getByRole('button', { name: 'Allow files.example.org for this session' });
    await card.waitFor();
    await chat.view().getByRole('button', { name: 'Skip', exact: true }).click();
    await chat.conversation.getByText('No luck').waitFor();
  });
});
