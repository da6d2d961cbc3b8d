import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hold } from '../../support/ollama/doubleReply';
import { until } from '../../support/until';
import { ApiBench, textOf } from './support';

/** Replaces values that differ in each run with names. */
function golden(value: unknown, names: Record<string, string>): unknown {
  let text = JSON.stringify(value);
  for (const [name, found] of Object.entries(names)) text = text.replaceAll(found, name);
  return JSON.parse(text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'));
}

describe('the local API: dialogs', () => {
  let bench: ApiBench;
  beforeEach(async () => {
    bench = await ApiBench.start();
  });
  afterEach(() => bench.stop());

  it('has each route of the protocol, with its field names', async () => {
    const { agent } = bench;
    await writeFile(agent.file('main.py'), 'old\n');
    agent.double.script.push('Hello there.');
    const { initial_checkpoint: initial, ...made } = await bench.ok<{ id: string; initial_checkpoint: string }>(
      ...(['POST', '/api/dialogs', { title: 'My Feature' }] as const),
    );
    const { id } = made;
    assert.match(initial, /^ckpt_/);
    const at = `/api/dialogs/${id}`;
    assert.deepEqual(golden(made, { ID: id }), {
      id: 'ID',
      title: 'My Feature',
      created_at: 'TIME',
      updated_at: 'TIME',
      active_session: 'session_1',
      last_approved_at: null,
      state: 'idle',
    });
    bench.current = id;
    assert.deepEqual(golden(await bench.ok('GET', '/api/dialogs'), { ID: id }), {
      dialogs: [golden(made, { ID: id })],
      current_dialog_id: 'ID',
    });

    assert.deepEqual(await bench.ok('POST', `${at}/messages`, { content: 'Say hello', mode: 'ask' }), {
      dialog_id: id,
      status: 'started',
      answers: 'person',
    });
    await agent.over(id);
    const checkpoints = await bench.ok<{ checkpoints: { commit_id: string }[] }>('GET', `${at}/checkpoints`);
    const [first = '', second = ''] = checkpoints.checkpoints.map(({ commit_id: commit }) => commit);
    const names = { ID: id, FIRST: first, SECOND: second };
    assert.deepEqual(golden(checkpoints, names), {
      dialog_id: 'ID',
      checkpoints: [
        { commit_id: 'FIRST', message: 'Initial state', status: 'pending' },
        { commit_id: 'SECOND', message: 'Before user message: Say hello', status: 'pending' },
      ],
      initial_checkpoint: 'FIRST',
    });
    assert.deepEqual(golden(await bench.ok('GET', `${at}/history?limit=20`), names), {
      events: [
        { type: 'user', content: 'Say hello', checkpoint: 'SECOND', session: 'session_1', idx: 1 },
        { type: 'chat', content: 'Hello there.', idx: 2, end: 'complete' },
        { type: 'done', outcome: 'done', idx: 3 },
      ],
      has_more: false,
      cursor: null,
    });

    await writeFile(agent.file('main.py'), 'new\n');
    await writeFile(agent.file('fresh.py'), 'fresh\n');
    assert.deepEqual(await bench.ok('GET', `${at}/session`), {
      active_session: 'session_1',
      session_ref: 'refs/heads/session_1',
      has_unapproved: true,
      last_approved_at: null,
      changed_files: [
        {
          path: 'fresh.py',
          status: 'added',
          additions: 1,
          deletions: 0,
          diff: null,
          base_content: null,
          is_binary: false,
          is_too_large: false,
        },
        {
          path: 'main.py',
          status: 'modified',
          additions: 1,
          deletions: 1,
          diff: '--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-old\n+new\n',
          base_content: 'old\n',
          is_binary: false,
          is_too_large: false,
        },
      ],
    });

    const dry = await bench.ok<Record<string, unknown>>('POST', `${at}/restore`, { checkpoint_id: second, dryRun: true });
    assert.deepEqual([dry.restored_to, dry.new_checkpoint], [second, null]);
    assert.equal(await readFile(agent.file('main.py'), 'utf8'), 'new\n');
    const approved = await bench.ok<Record<string, unknown>>('POST', `${at}/approve`, { message: 'Feature complete' });
    assert.deepEqual(golden(approved, { COMMIT: String(approved.approved_commit) }), {
      approved_commit: 'COMMIT',
      new_session: 'session_2',
      commits_approved: 1,
    });
    const reset = await bench.ok<Record<string, unknown>>('POST', `${at}/reset`);
    assert.deepEqual(reset, { reset_to: approved.approved_commit, new_session: 'session_3' });
    assert.deepEqual(await bench.ok('POST', `${at}/stop`), { dialog_id: id, status: 'stopped' });
    assert.deepEqual(bench.asked, ['script write']);
  });

  it('restores files, all or some, into the workspace or, once a person agrees, elsewhere', async () => {
    const { agent } = bench;
    await writeFile(agent.file('a.txt'), 'a1\n');
    agent.double.script.push('Done.');
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Change it', mode: 'ask' });
    await agent.over(id);
    const { initial_checkpoint: initial } = await bench.ok<{ initial_checkpoint: string }>(
      'GET',
      `/api/dialogs/${id}/checkpoints`,
    );
    const target = path.join(agent.folders.root, 'elsewhere');
    bench.allowsFolder = false;
    const refused = await bench.call('POST', `/api/dialogs/${id}/restore`, { checkpoint_id: initial, targetDir: target });
    assert.deepEqual([refused.status, existsSync(target)], [403, false]);
    bench.allowsFolder = true;
    const done = await bench.ok<Record<string, unknown>>('POST', `/api/dialogs/${id}/restore`, {
      checkpoint_id: initial,
      targetDir: target,
    });
    assert.deepEqual(done.restored_files, ['a.txt']);
    assert.equal(await readFile(path.join(target, 'a.txt'), 'utf8'), 'a1\n');
    assert.deepEqual(bench.asked, ['script write', 'script elsewhere', 'script elsewhere']);
  });

  it('tells what a restore has undone, what it left, and that its turns are kept', async () => {
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    const restore = { targetCheckpointId: 'c', paths: ['a.ts'] };
    const left = [{ path: 'b.ts', reason: 'changed' as const }];
    const uncovered = { histories: [], gone: ['build'], goneCount: 1 };
    await bench.agent.database.log.appendAll(id, [
      { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } },
      { type: 'restore', data: { ...restore, operationId: 'r', left, uncovered, fromSeq: 1 } },
      { type: 'turns_kept', data: { restoreSeq: 2 } },
      { type: 'restore', data: { ...restore, operationId: 'u', undoes: 'r' } },
    ]);
    const { events } = await bench.ok<{ events: unknown[] }>('GET', `/api/dialogs/${id}/history`);
    const told = { type: 'restore', restored_to: 'c', paths: ['a.ts'] };
    assert.deepEqual(events.slice(1), [
      { ...told, idx: 1, operation: 'r', left, uncovered, from_idx: 0 },
      { type: 'turns_kept', idx: 2, restore_idx: 1 },
      { ...told, idx: 3, operation: 'u', undoes: 'r' },
    ]);
  });

  it('says of each checkpoint how the changes after it were answered', async () => {
    const { agent } = bench;
    const write = (name: string) => ({ call: { name: 'create_file', arguments: { path: name, content: 'new\n' } } });
    const statuses = async (id: string) => {
      const { checkpoints } = await bench.ok<{ checkpoints: { status: string }[] }>('GET', `/api/dialogs/${id}/checkpoints`);
      return checkpoints.map(({ status }) => status);
    };
    agent.double.script.push([write('a.txt'), write('b.txt')], 'Done.');
    const id = await agent.ask('Make them');
    assert.deepEqual(await statuses(id), ['pending', 'pending']);
    await agent.changes.keep(id, [agent.file('a.txt')]);
    assert.deepEqual(await statuses(id), ['pending', 'partial']);
    await agent.changes.keep(id, null);
    assert.deepEqual(await statuses(id), ['pending', 'kept']);
  });

  it('makes a dialog with a model of its own for explorations', async () => {
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', { explorer_model: 'scout' });
    assert.equal((await bench.agent.database.sessions.get(id))?.explorer_model, 'scout');
  });

  it('pages through 10,000 entries to the beginning, without a gap or a double', async () => {
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    for (let part = 0; part < 20; part += 1) {
      const inputs = Array.from({ length: 500 }, (_, index) => {
        return { type: 'assistant_output', content: `n${part * 500 + index}`, data: { end: 'complete' } } as const;
      });
      await bench.agent.database.log.appendAll(id, inputs);
    }
    const seen: number[] = [];
    let cursor: number | null = null;
    do {
      const before: string = cursor === null ? '' : `&before=${cursor}`;
      const page: { events: { idx: number }[]; cursor: number | null } = await bench.ok(
        'GET',
        `/api/dialogs/${id}/history?limit=500${before}`,
      );
      seen.unshift(...page.events.map(({ idx }) => idx));
      ({ cursor } = page);
    } while (cursor !== null);
    assert.deepEqual(
      seen,
      Array.from({ length: 10_000 }, (_, index) => index),
    );
  });

  it('streams what happens: two clients, one of them cut off in the middle, and the view see the same', async () => {
    const { agent } = bench;
    const held = hold();
    agent.double.script.push(['One ', 'two ', held.step, 'three ', 'four']);
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    const whole = await bench.follow(id, '0');
    const cut = await bench.follow(id);
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Count', mode: 'ask' });
    await until(() => textOf(whole.told, 'chat').includes('two') && textOf(cut.told, 'chat').includes('two'));
    cut.close();
    const lastId = cut.told.at(-1)?.id ?? '';
    held.release();
    await agent.over(id);
    const again = await bench.follow(id, lastId);
    await until(() => [whole, again].every(({ told }) => told.some(({ type }) => type === 'done')));
    const joined = [...cut.told, ...again.told];
    for (const told of [whole.told, joined]) {
      assert.equal(textOf(told, 'chat'), 'One two three four');
      assert.equal(told.filter(({ type }) => type === 'user').length, 1);
      assert.equal(told.filter(({ type }) => type === 'done').length, 1);
    }
    const [user] = whole.told;
    assert.deepEqual([user?.data.content, user?.data.session, user?.data.dialog_id], ['Count', 'session_1', id]);
    const seen = await agent.seen(id);
    assert.ok(
      seen.some((line) => line.includes('One two three four')),
      seen.join('\n'),
    );
    // Follows from the beginning, like a client that connects after the run has ended.
    const late = await bench.follow(id, '0');
    await until(() => late.told.some(({ type }) => type === 'done'));
    assert.deepEqual(
      late.told.map(({ type }) => type),
      ['user', 'chat', 'done'],
    );
  });

  it('answers approvals only where a person has allowed the client to run', async () => {
    const { agent } = bench;
    const callOf = (command: string) =>
      `<tool_call>{"name": "run_terminal_command", "arguments": {"command": "${command}"}}</tool_call>`;
    agent.double.script.push(callOf('touch made.txt'), 'Done. [TASK_COMPLETE]');
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    const events = await bench.follow(id, '0');
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Make it', mode: 'agent' });
    await until(() => events.told.some(({ type }) => type === 'approval'));
    const approval = String(events.told.find(({ type }) => type === 'approval')?.data.approval);
    bench.allows = null;
    const refused = await bench.call('POST', `/api/dialogs/${id}/approvals/${approval}`, { approve: true });
    assert.deepEqual([refused.status, existsSync(agent.file('made.txt'))], [403, false]);
    bench.allows = 60_000;
    assert.deepEqual(await bench.ok('POST', `/api/dialogs/${id}/approvals/${approval}`, { approve: true }), { ok: true });
    await agent.over(id);
    assert.equal(existsSync(agent.file('made.txt')), true);
    assert.deepEqual(bench.asked, ['script write', 'script run', 'script run']);
    const gone = await bench.call('POST', `/api/dialogs/${id}/approvals/${approval}`, { approve: true });
    assert.equal(gone.status, 404);
  });

  it('ends a stream whose dialog cannot be read, so that the client comes again', async () => {
    const { log } = bench.agent.database;
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    const read = log.read.bind(log);
    log.read = () => Promise.reject(new Error('disk I/O error'));
    const at = `${bench.server.url}/api/dialogs/${id}/events`;
    const lost = await fetch(at, { headers: bench.headers({ 'Last-Event-ID': '0' }) });
    assert.equal((await lost.text()).trim(), ':');
    log.read = read;
    const events = await bench.follow(id, '0');
    bench.agent.double.script.push('Hello.');
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Hi', mode: 'ask' });
    await until(() => events.told.some(({ type }) => type === 'done'));
  });

  it('answers a question of the agent, which goes on with the answer', async () => {
    const { agent } = bench;
    const ask = { call: { name: 'ask_user', arguments: { question: 'Tabs or blanks?', options: ['Tabs', 'Blanks'] } } };
    agent.double.script.push([ask], 'Blanks it is.');
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    const events = await bench.follow(id, '0');
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Format it', mode: 'plan' });
    await until(() => events.told.some(({ type }) => type === 'question'));
    const { question, content, options } = events.told.find(({ type }) => type === 'question')?.data ?? {};
    assert.deepEqual([content, options], ['Tabs or blanks?', ['Tabs', 'Blanks']]);
    const at = `/api/dialogs/${id}/questions/${String(question)}`;
    assert.deepEqual(await bench.ok('POST', at, { answer: 'Blanks' }), { ok: true });
    await agent.over(id);
    await until(() => events.told.some(({ type }) => type === 'done'));
    const answered = events.told.filter(({ type }) => type === 'question').at(-1)?.data;
    assert.deepEqual([answered?.phase, answered?.content], ['settled', 'Blanks']);
    assert.equal((await bench.call('POST', at, { answer: 'Tabs' })).status, 404);
  });

  it('serves an OpenAPI document of its schemas, and says what it does not take', async () => {
    const document = await bench.ok<{ paths: Record<string, Record<string, { operationId: string }>> }>('GET', '/openapi.json');
    const operations = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(operations).size, operations.length);
    assert.equal(operations.length, 16);
    const written = Object.keys(document.paths).filter((at) => /\/(events|export)$/.test(at));
    assert.deepEqual(written, ['/api/dialogs/{dialog}/events', '/api/dialogs/{dialog}/export']);
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    const cases: [string, string, unknown, number, string][] = [
      ['GET', '/api/dialogs/nobody/history', undefined, 404, 'NOT_FOUND'],
      ['GET', `/api/dialogs/${id}/history?limit=0`, undefined, 400, 'INVALID'],
      ['GET', `/api/dialogs/${id}/export?format=docx`, undefined, 400, 'INVALID'],
      ['GET', '/api/nothing', undefined, 404, 'NOT_FOUND'],
      ['POST', `/api/dialogs/${id}/history`, undefined, 405, 'METHOD_NOT_ALLOWED'],
      ['POST', `/api/dialogs/${id}/messages`, { content: '' }, 400, 'INVALID'],
      ['POST', `/api/dialogs/${id}/restore`, { checkpoint_id: 'nothing' }, 404, 'NOT_FOUND'],
      ['POST', `/api/dialogs/${id}/questions/gone`, { answer: 'x' }, 404, 'NOT_FOUND'],
    ];
    for (const [method, at, body, status, code] of cases) {
      const answer = await bench.call(method, at, body);
      assert.deepEqual(
        [answer.status, (answer.body as { error?: { code: string } }).error?.code],
        [status, code],
        `${method} ${at}`,
      );
    }
  });
});
