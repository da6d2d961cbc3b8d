import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AttachmentReader } from '../../../src/agent/prompt/attachmentReader';
import { CompletionGate } from '../../../src/completion/gate/completionGate';
import { Settings } from '../../../src/config/settings';
import { NeverRules } from '../../../src/services/git/neverRules';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { systemClock } from '../../../src/utils/clock';
import { AgentBench } from './support/agentBench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });

describe('what a person has closed', () => {
  let bench: AgentBench;
  beforeEach(async () => {
    bench = await AgentBench.start();
    put('.ollamacopilotignore', '/clients/\n*.secret.ts\n!open.secret.ts\n');
    put('clients/acme.ts', 'const marker = 1;\n');
    put('src/plan.secret.ts', 'const marker = 2;\n');
    put('src/open.secret.ts', 'const marker = 3;\n');
    put('src/a.ts', 'const marker = 4;\n');
  });
  afterEach(() => bench.stop());

  function put(name: string, text: string): void {
    mkdirSync(path.dirname(bench.file(name)), { recursive: true });
    writeFileSync(bench.file(name), text);
  }

  /** Returns the results of the calls as the model receives them. */
  async function results(...calls: ReturnType<typeof call>[]): Promise<string[]> {
    bench.double.script.length = 0;
    bench.double.script.push(...calls.map((one) => [one]), 'Done. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Go');
    return bench.view.entries(sessionId).flatMap((entry) => (entry.type === 'tool_result' ? [entry.content] : []));
  }

  it('is refused to every tool, by each of its names, and nobody is asked', async () => {
    symlinkSync(bench.file('clients/acme.ts'), bench.file('src/link.ts'));
    const told = await results(
      call('read_file', { path: 'clients/acme.ts' }),
      call('read_file', { path: 'src/link.ts' }),
      call('write_file', { path: 'src/plan.secret.ts', content: 'x' }),
      call('delete_file', { path: 'clients/acme.ts' }),
    );
    assert.equal(told.length, 4);
    for (const text of told) assert.match(text, /is blocked for the agent/);
    const [made, open] = await results(
      call('create_file', { path: 'clients/a.ts', content: 'x' }),
      call('read_file', { path: 'src/open.secret.ts' }),
    );
    assert.match(made ?? '', /is blocked for the agent/);
    assert.match(open ?? '', /marker = 3/);
    assert.equal(readFileSync(bench.file('src/plan.secret.ts'), 'utf8'), 'const marker = 2;\n');
  });

  it('is found by no search and stands in no list', async () => {
    const told = await results(call('search_workspace', { query: 'marker' }), call('list_files', { recursive: true }));
    for (const text of told) {
      assert.match(text, /src\/a\.ts|a\.ts/);
      assert.doesNotMatch(text, /acme|plan\.secret|clients/);
      assert.match(text, /open\.secret\.ts/);
    }
  });

  it('is not attached and not completed in', async () => {
    const port = { folders: () => [{ name: 'project', path: bench.file('.') }], isTrusted: () => true, commandShell: () => 'sh' };
    const reader = new AttachmentReader(new WorkspacePaths(port), { openText: () => undefined, confirm: async () => true });
    await assert.rejects(reader.read({ kind: 'file', path: 'clients/acme.ts' }), { reason: 'closed' });
    assert.equal(await reader.exclusionReason({ kind: 'editor', path: 'clients/acme.ts' }), 'secret');
    const gate = new CompletionGate(port, new Settings({ get: () => undefined }, () => undefined), systemClock);
    assert.notEqual(await gate.exclusionReason(bench.file('clients/acme.ts')), null);
    assert.equal(await gate.exclusionReason(bench.file('src/a.ts')), null);
  });

  it('is said by the files of other programs too, and one that cannot be read closes all', () => {
    for (const name of ['.aiexclude', '.aiignore', '.cursorignore']) {
      const folder = bench.file(`with${name}`);
      mkdirSync(folder);
      writeFileSync(path.join(folder, name), 'private/\r\n');
      const rules = NeverRules.of(folder);
      assert.deepEqual([rules?.isClosed('private/a.ts', false), rules?.isClosed('a.ts', false)], [true, false]);
    }
    const folder = bench.file('odd');
    mkdirSync(path.join(folder, '.aiexclude'), { recursive: true });
    assert.equal(NeverRules.of(folder)?.isClosed('a.ts', false), true);
    assert.equal(NeverRules.of(bench.file('src')), null);
  });

  it('is everything while the rules cannot be read, and every tool says so', async () => {
    writeFileSync(bench.file('.ollamacopilotignore'), Buffer.from('gr\xfcn/\n', 'latin1'));
    const told = await results(
      call('read_file', { path: 'src/a.ts' }),
      call('search_workspace', { query: 'marker' }),
      call('list_files', { recursive: true }),
    );
    assert.equal(told.length, 3);
    for (const text of told) {
      assert.match(text, /\.ollamacopilotignore is not encoded in UTF-8 or UTF-16, so the whole folder is blocked/);
      assert.doesNotMatch(text, /a\.ts:|marker = /);
    }
  });

  it('is not opened by a command that runs without a question', async () => {
    put('.git/HEAD', 'ref: refs/heads/main\n');
    bench.double.script.push('Hello. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Go');
    await bench.grants.change(sessionId, { commands: true });
    for (const command of ['cat clients/acme.ts', 'git log -p']) {
      bench.double.script.push([call('run_terminal_command', { command })], 'Done. [TASK_COMPLETE]');
      await bench.send('Look', { sessionId });
      await bench.question(sessionId);
      await bench.controller.stop(sessionId);
      await bench.over(sessionId);
      bench.double.script.length = 0;
    }
  });
});
