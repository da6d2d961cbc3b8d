import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { buildHistory } from '../../../../src/protocol/history';
import { makeClient } from '../../model/support/client';
import { CompletionBench } from '../../completion/support/completionBench';
import { until } from '../../../support/until';
import { AgentBench } from '../support/agentBench';
import type { BenchOptions } from '../support/agentBenchOptions';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const replace = (oldText: string, newText: string) => [call('replace_in_file', { path: 'a.ts', oldText, newText })];
const runIt = (command: string) => [call('run_terminal_command', { command })];

/** Each scenario covers one complaint of agent users, by its number and name in docs/complaints.md. */
describe('Complaints about work that is lost or done wrong', () => {
  let bench: AgentBench;
  const start = async (options?: BenchOptions) => (bench = await AgentBench.start(options));
  afterEach(() => bench?.stop());

  const approve = async (sessionId: string, isApproved: boolean) => {
    const { data } = await bench.question(sessionId);
    await bench.controller.decideApproval(sessionId, data.approvalId, isApproved);
  };

  it('11 loops: a call that is repeated for ever is nudged, then stopped, with words', async () => {
    await start();
    await writeFile(bench.file('a.ts'), 'alpha\n');
    for (let turn = 0; turn < 20; turn += 1) bench.double.script.push([call('read_file', { path: 'a.ts' })]);
    const seen = await bench.seen(await bench.ask('Go'));
    assert.match(seen.at(-2) ?? '', /^notice loop: Stopped: the model/);
    assert.equal(seen.at(-1), '= limit');
    assert.ok(bench.chats().length < 10);
  });

  it('11 loops that are not the same to the letter are seen too', async () => {
    await start();
    await writeFile(bench.file('a.ts'), 'alpha\n');
    for (let turn = 0; turn < 30; turn += 1)
      bench.double.script.push([
        `I will now look at the file once more to be sure, attempt number ${turn}.`,
        call('read_file', { path: 'a.ts', startLine: 1, endLine: 40 + turn }),
      ]);
    const seen = await bench.seen(await bench.ask('Go'));
    assert.equal(seen.at(-1), '= limit');
    assert.ok(bench.chats().length < 25);
  });

  it('12 an edit that does not match to the blank is made all the same; one that cannot be is answered with the nearest lines', async () => {
    await start();
    await writeFile(bench.file('a.ts'), 'function f() {\n    return 1;\n}\n');
    bench.double.script.push(
      replace('function f() {\n  return 1;\n}', 'function f() {\n  return 2;\n}'),
      'Done. [TASK_COMPLETE]',
    );
    const sessionId = await bench.ask('Go');
    assert.match(await readFile(bench.file('a.ts'), 'utf8'), /return 2;/);
    bench.double.script.push(replace('function f() {\n  return 7 + 8;\n}', 'x'), 'I see. [TASK_COMPLETE]');
    await bench.ask('Again', { sessionId });
    const result = bench.view.entries(sessionId).findLast(({ type }) => type === 'tool_result');
    assert.match(result?.content ?? '', /return 2;/);
  });

  it('13 an edit that fails leaves the file as it was', async () => {
    await start();
    await writeFile(bench.file('a.ts'), 'one\n');
    bench.double.script.push(replace('nothing like it', ''), [call('write_file', { path: 'a.ts' })], 'I cannot. [TASK_COMPLETE]');
    await bench.ask('Go');
    assert.equal(await readFile(bench.file('a.ts'), 'utf8'), 'one\n');
  });

  it('18 what a command prints is all there, and one that hangs goes to the background', async () => {
    await start({ settings: { 'terminal.timeoutMs': 1000 } });
    bench.double.script.push(runIt('printf "first\\nlast\\n"'), 'Good. [TASK_COMPLETE]');
    const sessionId = await bench.send('Go');
    await approve(sessionId, true);
    await bench.over(sessionId);
    const printed = bench.view.entries(sessionId).find(({ type }) => type === 'tool_result');
    assert.match(printed?.content ?? '', /first\nlast/);
    bench.double.script.push(
      [call('run_terminal_command', { command: 'echo begun; sleep 1000', background: true })],
      'It runs. [TASK_COMPLETE]',
    );
    await bench.controller.send({ sessionId, text: 'And that', mode: 'agent', model: 'worker' });
    await approve(sessionId, true);
    await bench.over(sessionId);
    const [left] = bench.background.running(sessionId);
    assert.match(left?.command ?? '', /sleep 1000/);
    await bench.background.stop(sessionId, left?.id ?? '');
  });

  it('19 an agent that deletes work: a command that does is asked about whatever is allowed, and what it took comes back', async () => {
    await start({ hasCheckpoints: true, settings: { 'agent.autoApproveCommands': true } });
    await mkdir(bench.file('src'));
    await writeFile(bench.file('src/a.ts'), 'work of a day\n');
    bench.double.script.push(runIt('rm -rf src'), 'Gone. [TASK_COMPLETE]');
    const sessionId = await bench.send('Go');
    await approve(sessionId, true);
    await bench.over(sessionId);
    assert.equal(existsSync(bench.file('src')), false);
    const [first] = await bench.restores.list(sessionId);
    await bench.restores.restore(
      sessionId,
      { kind: 'checkpoint', id: first?.id ?? '' },
      { files: [bench.file('src/a.ts')], overwrite: [] },
    );
    assert.equal(await readFile(bench.file('src/a.ts'), 'utf8'), 'work of a day\n');
  });

  it('22 a grey screen: of a long chat only the last turns are handed out at once', async () => {
    await start();
    bench.double.script.push('Hello.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    for (let turn = 0; turn < 40; turn += 1)
      await bench.database.log.appendAll(
        sessionId,
        Array.from({ length: 50 }, (_unused, index) => ({
          type: 'user_input' as const,
          content: `Message ${turn * 50 + index}`,
          data: { mode: 'ask' as const, attachments: [] },
        })),
      );
    const page = await bench.database.queries.page({ sessionId, beforeSeq: 2001, limit: 50 });
    assert.deepEqual([page.entries.length, page.hasMore], [50, true]);
  });

  it('23 history that is lost: a search index that is damaged or gone takes no word with it', async () => {
    await start();
    bench.double.script.push('The answer is forty-two.');
    const sessionId = await bench.ask('What is it?', { mode: 'ask' });
    const before = await bench.seen(sessionId);
    await bench.database.rebuildIndex();
    assert.deepEqual(await bench.seen(sessionId), before);
    const found = async () => (await bench.database.search({ query: 'forty-two', offset: 0, limit: 10 })).found.length;
    assert.equal(await found(), 1);
  });

  it('24 a disk that fills up unseen: what checkpoints take is told, with the limit', async () => {
    await start({ hasCheckpoints: true });
    await writeFile(bench.file('a.ts'), 'x'.repeat(100_000));
    bench.double.script.push('Done. [TASK_COMPLETE]');
    await bench.ask('Go');
    // The checkpoint may finish after the answer.
    await until(async () => Object.values(await bench.care.account()).some((value) => typeof value === 'number' && value > 0));
    assert.ok(bench.care.limit() > 0);
  });

  it('25 secrets that are read nevertheless: asked about, and what a person has closed is not even asked about', async () => {
    await start();
    await writeFile(bench.file('.env'), 'TOKEN=abc123\n');
    await writeFile(bench.file('plan.txt'), 'closed\n');
    await writeFile(bench.file('.ollamacopilotignore'), 'plan.txt\n');
    bench.double.script.push(
      [call('read_file', { path: '.env' })],
      [call('read_file', { path: 'plan.txt' })],
      [call('search_workspace', { query: 'closed' })],
      'I may not. [TASK_COMPLETE]',
    );
    const sessionId = await bench.send('Go');
    await approve(sessionId, false);
    await bench.over(sessionId);
    const { entries } = await bench.database.log.read(sessionId, 0);
    const told = buildHistory(entries).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
    assert.equal(told.length, 3);
    assert.doesNotMatch(told.join('\n'), /abc123|plan\.txt:1/);
  });

  it('27 completions that are too eager: one request under way, however fast somebody types', async () => {
    const typing = await CompletionBench.start({ models: [{ name: 'qwen2.5-coder:1.5b-base', architecture: 'qwen2' }] });
    try {
      typing.double.onGenerate(() => 'log();');
      await typing.at('console.|').complete();
      const asked = typing.asked.length;
      for (const letter of ['l', 'o', 'g']) await typing.type(letter).complete();
      assert.equal(typing.asked.length, asked, 'what is typed as suggested asks for nothing');
    } finally {
      await typing.stop();
    }
  });

  for (const host of ['127.0.0.1', '::1']) {
    it(`28 localhost that is only ${host}: it is found`, async () => {
      const server = createServer((_request, response) => response.end('{"version":"0.32.15"}'));
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
      try {
        const { client } = makeClient(`http://localhost:${(server.address() as AddressInfo).port}`);
        assert.equal(await client.version(), '0.32.15');
        client.dispose();
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  }

  it('a stale answer that overwrites: an undo keeps what was typed since', async () => {
    await start({ hasCheckpoints: true });
    await writeFile(bench.file('a.ts'), 'one\ntwo\nthree\nfour\nfive\n');
    bench.double.script.push(replace('one', 'ONE'), 'Done. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Go');
    await writeFile(bench.file('a.ts'), 'ONE\ntwo\nthree\nfour\nFIVE, by hand\n');
    await bench.changes.undo(sessionId, [bench.file('a.ts')]);
    assert.equal(await readFile(bench.file('a.ts'), 'utf8'), 'one\ntwo\nthree\nfour\nFIVE, by hand\n');
    await rm(bench.file('a.ts'));
  });
});
