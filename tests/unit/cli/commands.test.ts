import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../../../src/cli/commands';
import { isCovered } from '../../../src/cli/approvalPolicy';
import { FakeSandbox } from '../terminal/support/fakeSandbox';
import { hold } from '../../support/ollama/doubleReply';
import { until } from '../../support/until';
import { ApiBench } from '../api/support';

const call = (command: string) =>
  `<tool_call>{"name": "run_terminal_command", "arguments": {"command": ${JSON.stringify(command)}}}</tool_call>`;
const touch = call('touch made.txt');

describe('the command ollama-copilot', () => {
  let bench: ApiBench;
  let written: string;
  let noted: string;
  beforeEach(async () => {
    bench = await ApiBench.start();
    written = '';
    noted = '';
  });
  afterEach(() => bench.stop());

  interface Given {
    askText?: (prompt: string, signal?: AbortSignal) => Promise<string>;
    input?: string;
    signal?: AbortSignal;
  }

  const run = (args: string[], { askText, input = '', signal = new AbortController().signal }: Given = {}) =>
    runCommand(['--connect', path.join(bench.agent.storageFolder(), 'api.json'), ...args], {
      write: (text) => void (written += text),
      writeDocument: (text) => void (written += text),
      note: (text) => void (noted += text),
      fresh: () => undefined,
      size: () => ({ columns: 80, rows: 24 }),
      readInput: () => Promise.resolve(input),
      askText: askText ?? null,
      environment: {},
      signal,
      version: '1.2.3',
    });

  const lastRequest = () => JSON.stringify(bench.agent.double.requestsTo('/api/chat').at(-1)?.body);

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
    bench.agent.double.script.push(touch, 'Made. [TASK_COMPLETE]');
    const prompts: string[] = [];
    const code = await run(['run', 'Make it'], { askText: async (prompt) => (prompts.push(prompt), 'y') });
    assert.equal(code, 0, noted);
    assert.deepEqual(prompts, ['Allow? [y/N] ']);
    assert.match(noted, /\? Allow this command\?\n {2}Risk {5,}│ medium.*\n {2}Folder .*\n {2}Command {2,}│ touch made\.txt\n/);
    assert.equal(existsSync(bench.agent.file('made.txt')), true);
    assert.match(written, /Made\./);
    assert.match(noted, /· run_terminal_command/);
  });

  it('adds standard input to the message, or takes it as the message', async () => {
    bench.agent.double.script.push('Fine.', 'Hello.');
    assert.equal(await run(['ask', 'Review this'], { input: 'diff --git\n+```\n' }), 0, noted);
    assert.match(lastRequest(), /Review this\\n\\n````\\ndiff --git\\n\+```\\n````/);
    assert.equal(await run(['ask', '-'], { input: 'Say hello\n' }), 0, noted);
    assert.match(lastRequest(), /"content":"[^"]*Say hello/);
  });

  it('refuses at once what neither a user nor the policy approves, and exits with 3', async () => {
    bench.hasPerson = false;
    for (const policy of [[], ['--approve', 'none'], ['--approve', 'edit'], ['--approve', 'safe']]) {
      bench.agent.double.script.push(touch, 'I could not. [TASK_COMPLETE]');
      written = '';
      noted = '';
      assert.equal(await run(['run', ...policy, '--json', 'Make it']), 3, noted);
      const result = JSON.parse(written) as Record<string, unknown>;
      assert.deepEqual(
        [result['outcome'], result['exit_code'], result['refused']],
        ['done', 3, [{ kind: 'command', what: 'touch made.txt' }]],
      );
      assert.match(lastRequest(), /no user|nobody could answer/);
    }
    assert.equal(existsSync(bench.agent.file('made.txt')), false);
  });

  it('approves what its policy covers', async () => {
    bench.hasPerson = false;
    bench.agent.double.script.push(call('ls'), 'Listed. [TASK_COMPLETE]');
    assert.equal(await run(['run', '--approve', 'safe', 'List']), 0, noted);
    const edit = (content: string) =>
      `<tool_call>{"name": "write_file", "arguments": {"path": ".vscode/settings.json", "content": "${content}"}}</tool_call>`;
    bench.agent.double.script.push(edit('{}'), 'Written. [TASK_COMPLETE]', edit('[]'), 'Not written. [TASK_COMPLETE]');
    assert.equal(await run(['run', '--approve', 'edit', 'Write']), 0, noted);
    assert.equal(existsSync(bench.agent.file('.vscode/settings.json')), true);
    assert.equal(await run(['run', '--approve', 'read', 'Write again']), 3, noted);
  });

  it('refuses the sandbox with the reason where there is none', async () => {
    const before = process.env['PATH'];
    process.env['PATH'] = bench.agent.storageFolder();
    try {
      assert.equal(await run(['run', '--approve', 'sandbox', 'Make it']), 6);
    } finally {
      process.env['PATH'] = before;
    }
    assert.match(noted, /^ollama-copilot: The sandbox /m);
    assert.equal(bench.agent.double.requestsTo('/api/chat').length, 0);
  });

  // bubblewrap is only available on Linux.
  if (process.platform === 'linux')
    it('runs commands in the sandbox, and refuses what asks at that level too', async () => {
      bench.hasPerson = false;
      bench.agent.double.script.push(touch, 'Made. [TASK_COMPLETE]');
      assert.equal(await run(['run', '--approve', 'sandbox', 'Make it']), 0, noted);
      assert.equal(existsSync(bench.agent.file('made.txt')), true);
      assert.ok(bench.asked.includes('ollama-copilot run'));
      bench.agent.double.script.push(call('rm -rf /'), 'Not that. [TASK_COMPLETE]');
      assert.equal(await run(['run', '--approve', 'sandbox', 'Delete it']), 3, noted);
      // The next policy for the same chat does not keep the level.
      written = '';
      await run(['sessions']);
      const [, id = ''] = /^(\S+) .*Make it$/m.exec(written) ?? [];
      bench.agent.double.script.push(touch, 'Not again. [TASK_COMPLETE]');
      assert.equal(await run(['run', '--approve', 'read', '--session', id, 'Again']), 3, noted);
    });

  describe('about a command that the sandbox blocked', () => {
    let sandbox: FakeSandbox;
    beforeEach(async () => {
      await bench.stop();
      sandbox = new FakeSandbox();
      bench = await ApiBench.start({ sandbox });
      sandbox.reports.push({ denials: [{ kind: 'network', target: 'a.example' }] });
      const command = 'test -e tried && touch made.txt || { touch tried; exit 1; }';
      bench.agent.double.script.push(call(command), 'Over. [TASK_COMPLETE]');
    });

    it('refuses to run it outside without a user, and tells the model and the client', async () => {
      bench.hasPerson = false;
      assert.equal(await run(['run', '--approve', 'sandbox', '--json', 'Go']), 3, noted);
      assert.match(noted, /\? The sandbox blocked this command\n[^]*Refused, because --approve sandbox does not cover it\./);
      assert.match(written, /"refused":\s*\[\s*\{\s*"kind":\s*"command"/);
      assert.match(lastRequest(), /which denied: network access to a\.example[^]*nobody could answer/);
      assert.deepEqual([sandbox.wrapped.length, existsSync(bench.agent.file('made.txt'))], [1, false]);
    });

    it('asks on the terminal in a chat at that level, and allows the host there', async () => {
      const scripted = bench.agent.double.script.splice(0);
      bench.agent.double.script.push('Nothing yet. [TASK_COMPLETE]');
      assert.equal(await run(['run', '--approve', 'sandbox', '--json', 'Begin']), 0, noted);
      const { sessions } = await bench.agent.database.sessions.list({ offset: 0, limit: 1 });
      bench.agent.double.script.push(...scripted);
      const askText = async (prompt: string) => (prompt.startsWith('Number') ? '1' : 'y');
      assert.equal(await run(['run', '--session', sessions[0]?.id ?? '', 'Go'], { askText }), 0, noted);
      assert.match(noted, /│ 1: Allow a\.example for this session\n/);
      assert.deepEqual(
        sandbox.wrapped.map(({ hosts }) => hosts),
        [[], ['a.example']],
      );
      assert.equal(existsSync(bench.agent.file('made.txt')), true);
    });
  });

  it('covers no command that the sandbox blocked, whatever its risk', () => {
    const data = { kind: 'command', severity: 'low' };
    assert.deepEqual(
      [data, { ...data, sandbox: { denials: [], host: null } }].map((one) => isCovered('sandbox', one)),
      [true, false],
    );
  });

  it('waits for a user in the editor, for --approval-timeout', async () => {
    bench.agent.double.script.push(touch, 'I could not. [TASK_COMPLETE]');
    assert.equal(await run(['run', '--approval-timeout', '1s', 'Make it']), 3, noted);
    assert.match(noted, /Answer in the editor\.[^]*Refused, because no answer came in time\./);
  });

  it('ends a question on the terminal when somebody answers elsewhere', async () => {
    bench.agent.double.script.push(touch, 'Made. [TASK_COMPLETE]');
    const asked = (_prompt: string, signal?: AbortSignal) =>
      new Promise<string>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
        void bench.agent.database.sessions.list({ offset: 0, limit: 1 }).then(async ({ sessions: [session] }) => {
          const id = session?.id ?? '';
          await bench.agent.controller.decideApproval(id, (await bench.agent.question(id)).data.approvalId, true);
        });
      });
    assert.equal(await run(['run', 'Make it'], { askText: asked }), 0, noted);
    assert.doesNotMatch(noted, /aborted/);
  });

  it('stops the run at the time limit and at a signal', async () => {
    const held = hold();
    const endless = () => bench.agent.double.script.push([held.step, 'Never.']);
    endless();
    assert.equal(await run(['run', '--timeout', '1s', 'Make it']), 4, noted);
    const stop = new AbortController();
    endless();
    const running = run(['run', 'Make it'], { signal: stop.signal });
    await until(() => bench.agent.double.requestsTo('/api/chat').length >= 2);
    stop.abort('SIGTERM');
    assert.equal(await running, 143, noted);
    held.release();
    const { sessions } = await bench.agent.database.sessions.list({ offset: 0, limit: 9 });
    for (const { id } of sessions) await bench.agent.over(id);
    assert.equal(sessions.length, 2);
  });

  it('stops a run by name, and says what a queued one waits for', async () => {
    bench.agent.double.script.push(touch, 'Stopped.', 'Hello.');
    const first = run(['run', 'Make it']);
    await until(() => noted.includes('Answer in the editor'));
    const second = run(['ask', 'Hi']);
    await until(() => noted.includes('Queued behind “Make it” (waiting for approval).'));
    const { sessions } = await bench.agent.database.sessions.list({ offset: 0, limit: 9 });
    const waiting = sessions.find(({ title }) => title === 'Make it');
    assert.equal(await run(['stop', waiting?.id ?? '']), 0);
    assert.deepEqual(await Promise.all([first, second]), [1, 0]);
  });

  it('answers every command in JSON', async () => {
    bench.agent.double.script.push('Hello.');
    const json = async (...args: string[]) => {
      written = '';
      assert.equal(await run([...args, '--json']), 0, noted);
      return JSON.parse(written) as Record<string, never>;
    };
    const { session, ...asked } = await json('ask', 'Hi');
    assert.deepEqual(asked, { outcome: 'done', exit_code: 0, text: 'Hello.', refused: [] });
    assert.deepEqual(Object.keys((await json('sessions'))[0] ?? {}).slice(0, 2), ['id', 'title']);
    assert.deepEqual(await json('stop', String(session)), { dialog_id: session, status: 'stopped' });
    assert.equal((await json('export', String(session)))['session']?.['title'], 'Hi');
    assert.deepEqual(await json('--version'), { version: '1.2.3' });
    assert.match(String((await json('completion', 'zsh'))['script']), /^#compdef ollama-copilot/);
    noted = '';
    assert.equal(await run(['export', 'nobody', '--json']), 5);
    assert.deepEqual(JSON.parse(noted), { error: { code: 'NOT_FOUND', message: 'The dialog does not exist' } });
  });

  it('imports what it has exported, in every format that holds all of a chat', async () => {
    bench.agent.double.script.push('Hello.');
    await run(['ask', 'Hi']);
    const [{ id = '' } = {}] = (await bench.agent.database.sessions.list({ offset: 0, limit: 1 })).sessions;
    const before = (await bench.agent.database.log.read(id, 0)).entries.map(({ type, content }) => [type, content]);
    for (const [format, name] of [
      ['json', 'chat.json'],
      ['jsonl', 'chat.jsonl'],
    ] as const) {
      written = '';
      await run(['export', id, '--format', format]);
      const file = bench.agent.file(name);
      await writeFile(file, written);
      await (await bench.socket()).ask('code:delete-session', { id });
      written = '';
      noted = '';
      assert.equal(await run(['import', file]), 0, noted);
      assert.deepEqual([written, noted], [`imported  ${id}  Hi (${before.length})\n`, '']);
      const { entries } = await bench.agent.database.log.read(id, 0);
      assert.deepEqual(
        entries.map(({ type, content }) => [type, content]),
        before,
      );
    }
    assert.equal(await run(['import', bench.agent.file('nothing.jsonl')]), 5);
    await writeFile(bench.agent.file('other.jsonl'), '{"some": "thing"}\n');
    assert.equal(await run(['import', bench.agent.file('other.jsonl')]), 1);
  });

  it('lists checkpoints, restores, approves and resets', async () => {
    await writeFile(bench.agent.file('a.txt'), 'first\n');
    bench.agent.double.script.push('Hello.');
    await run(['ask', 'Hi']);
    const [{ id = '' } = {}] = (await bench.agent.database.sessions.list({ offset: 0, limit: 1 })).sessions;
    written = '';
    assert.equal(await run(['checkpoints', id]), 0, noted);
    const [initial = ''] = written.split(' ');
    await writeFile(bench.agent.file('a.txt'), 'mine\n');
    written = '';
    assert.equal(await run(['restore', id, initial, '--dry-run']), 0, noted);
    assert.equal(await run(['restore', id, initial, '--keep-own-edits']), 0, noted);
    assert.equal(await run(['reset', id]), 0, noted);
    assert.equal(written, 'restored  a.txt\nskipped   a.txt: changedSince\nrestored  a.txt\n');
    assert.equal(await run(['approve', id, '--message', 'Fine']), 0, noted);
    assert.equal(await run(['restore', id, 'nothing']), 5);
  });

  const failing: [string, string[], number, RegExp][] = [
    ['an unknown command', ['nothing'], 2, /^ollama-copilot: Unknown command: nothing\. Run “ollama-copilot help”\.\n$/],
    ['an unknown option', ['ask', '--what', 'Hi'], 2, /^ollama-copilot: Unknown option '--what'\. Run .*\n$/],
    [
      'an option of another command',
      ['sessions', '--approve', 'read'],
      2,
      /^ollama-copilot: sessions does not take --approve.*\n$/,
    ],
    ['an unknown policy', ['run', '--approve', 'all', 'x'], 2, /^ollama-copilot: all is not a value of --approve.*\n$/],
    ['a time that is none', ['run', '--timeout', 'soon', 'x'], 2, /^ollama-copilot: soon is not a duration for --timeout.*\n$/],
    ['no text', ['ask'], 2, /^ollama-copilot: TEXT is missing\..*\n$/],
    ['an unknown session', ['ask', '--session', 'nobody', 'Hi'], 5, /^ollama-copilot: The dialog does not exist\n$/],
    ['an unknown session to watch', ['watch', 'nobody'], 5, /^ollama-copilot: The dialog does not exist\n$/],
    ['no server', ['sessions', '--connect', 'nowhere/api.json'], 7, /^ollama-copilot: Could not read nowhere\/api\.json.*\n$/],
  ];
  for (const [what, args, code, words] of failing)
    it(`reports ${what} in one line`, async () => {
      assert.equal(await run(args), code);
      assert.match(noted, words);
      assert.equal(written, '');
    });

  it('shows help and its version on standard output, and who did not allow it', async () => {
    assert.equal(await run([]), 0);
    assert.match(written, /run \[TEXT\]/);
    written = '';
    assert.equal(await run(['help', 'run']), 0);
    assert.match(written, /--approve POLICY .*none, read, edit, safe, sandbox/);
    written = '';
    assert.equal(await run(['--version']), 0);
    assert.equal(written, '1.2.3\n');
    assert.equal(noted, '');
    bench.allows = null;
    assert.equal(await run(['ask', 'Hi']), 6);
    assert.match(noted, /The user did not allow “ollama-copilot” to write/);
  });
});
