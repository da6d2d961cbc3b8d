import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiBench } from '../support';
import { fileOperations, ignoredChanged, ignoredCreated, ignoredNames, nothing } from './fileRows';
import { PlainClient } from './plainClient';
import { python } from './python';

interface Changed {
  path: string;
  status: string;
  additions: number;
  deletions: number;
  diff: string | null;
  base_content: string | null;
  is_binary: boolean;
  is_too_large: boolean;
}

const call = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;

/** Rows in the specification of checkpoints and approval sessions, checked with a plain HTTP client. */
describe('conformance: checkpoints and approval sessions', () => {
  let bench: ApiBench;
  let client: PlainClient;
  let id: string;
  let initial: string;
  const file = (name: string) => bench.agent.file(name);
  const at = (route: string) => `/api/dialogs/${id}/${route}`;
  const say = (...script: string[]) => {
    bench.agent.double.script.push(...script, 'Done. [TASK_COMPLETE]');
    return client.run(id, 'Work');
  };
  const play = (script: readonly string[]) => {
    bench.agent.double.script.push(...script);
    return client.run(id, 'Work');
  };
  const changed = async () => (await client.call<{ changed_files: Changed[] }>('GET', at('session'))).changed_files;
  const statuses = async () => Object.fromEntries((await changed()).map((one) => [one.path, one.status]));
  const checkpoints = async () =>
    (await client.call<{ checkpoints: { commit_id: string; message: string }[] }>('GET', at('checkpoints'))).checkpoints;
  const restore = (checkpoint: string) => client.call('POST', at('restore'), { checkpoint_id: checkpoint });

  beforeEach(async () => {
    bench = await ApiBench.start();
    client = new PlainClient(bench.server.url, bench.headers());
    await writeFile(file('.gitignore'), 'ignored/\n*.log\n');
    await mkdir(file('ignored'));
    for (const name of ['main.py', 'sed.py', 'old.py', 'gone.py']) await writeFile(file(name), 'old\n');
    ({ id, initial_checkpoint: initial } = await client.call<{ id: string; initial_checkpoint: string }>('POST', '/api/dialogs', {
      title: 'My Feature',
    }));
  });
  afterEach(() => bench.stop());

  it('a dialog has an initial checkpoint and is in the index', async () => {
    const { dialogs, current_dialog_id: current } = await client.call<{ dialogs: object[]; current_dialog_id: string }>(
      'GET',
      '/api/dialogs',
    );
    assert.deepEqual([current, dialogs.length], [id, 1]);
    assert.deepEqual(Object.keys(dialogs[0] ?? {}).sort(), [
      ...['active_session', 'created_at', 'id', 'last_approved_at', 'state', 'title', 'updated_at'],
    ]);
    const listed = await client.call('GET', at('checkpoints'));
    assert.deepEqual([listed.dialog_id, listed.initial_checkpoint, (await checkpoints()).length], [id, initial, 1]);
  });

  it('each message has a checkpoint before it, in its event and in the history', async () => {
    const events = await say();
    const user = events.find(({ type }) => type === 'user');
    assert.deepEqual([user?.content, user?.session, user?.dialog_id], ['Work', 'session_1', id]);
    assert.equal((await checkpoints()).at(-1)?.commit_id, user?.checkpoint);
    assert.equal((await checkpoints()).at(-1)?.message, 'Before user message: Work');
    const { events: logged, has_more, cursor } = await client.call<Record<string, unknown>>('GET', at('history?limit=20'));
    const [first] = logged as Record<string, unknown>[];
    assert.deepEqual([first?.type, first?.checkpoint, first?.session], ['user', user?.checkpoint, 'session_1']);
    assert.deepEqual([has_more, cursor], [false, null]);
  });

  if (process.platform !== 'win32')
    it('files that tools and commands create, modify and delete: the summary table', async () => {
      const events = await play(fileOperations);
      const edits = events.filter(({ type }) => type === 'file_edit');
      assert.deepEqual(
        edits.map((edit) => edit.file),
        ['by-tool.txt', 'ignored/by-tool.txt', 'main.py', 'old.py'].map((name) => path.join(bench.agent.folders.workspace, name)),
      );
      assert.ok(edits.every((edit) => typeof edit.diff === 'string' && edit.dialog_id === id && !('checkpoint' in edit)));
      const all = {
        'by-tool.txt': 'added',
        'ignored/by-tool.txt': 'added',
        'main.py': 'modified',
        'old.py': 'deleted',
        'by-command.txt': 'added',
        'sed.py': 'modified',
        'gone.py': 'deleted',
      };
      assert.deepEqual(await statuses(), all);
      await say();
      const before = (await checkpoints()).at(-1)?.commit_id ?? '';
      const { new_checkpoint: undo } = await restore(initial);
      assert.equal(typeof undo, 'string');
      const exist = (...names: string[]) => names.map((name) => existsSync(file(name)));
      assert.deepEqual(exist('by-tool.txt', 'by-command.txt', 'ignored/by-tool.txt'), [false, false, false]);
      assert.deepEqual(exist('old.py', 'gone.py', 'ignored/by-command.txt'), [true, true, true]);
      assert.deepEqual([await readFile(file('main.py'), 'utf8'), await readFile(file('sed.py'), 'utf8')], ['old\n', 'old\n']);
      assert.deepEqual(await statuses(), {});
      await restore(before);
      assert.deepEqual(exist('by-tool.txt', 'by-command.txt', 'ignored/by-tool.txt'), [true, true, true]);
      assert.deepEqual(exist('old.py', 'gone.py'), [false, false]);
      assert.deepEqual([await readFile(file('main.py'), 'utf8'), await readFile(file('sed.py'), 'utf8')], ['new\n', 'new\n']);
    });

  if (process.platform !== 'win32') {
    it('ignored files of tools stay tracked: the last column of the table', async () => {
      await play(ignoredCreated);
      await client.call('POST', at('approve'), {});
      const events = await play(ignoredChanged);
      assert.deepEqual(await statuses(), Object.fromEntries(ignoredNames.map((name) => [name, /\/(\w+)-/.exec(name)?.[1]])));
      await play(nothing);
      const after = (await checkpoints()).at(-1)?.commit_id ?? '';
      const texts = () => Promise.all(ignoredNames.map((name) => readFile(file(name), 'utf8').catch(() => null)));
      await restore(String(events.find(({ type }) => type === 'user')?.checkpoint));
      assert.deepEqual(await texts(), ['one\n', 'one\n', 'one\n', 'one\n']);
      await restore(after);
      assert.deepEqual(await texts(), ['two\n', 'two\n', null, null]);
    });

    it('a client in Python finds each row of the table', async () => {
      const runs = [fileOperations, nothing, ignoredCreated, ignoredChanged, nothing];
      bench.agent.double.script.push(...runs.flat());
      assert.equal(
        await python('checkpoints.py', bench, id),
        'ok tools_and_commands_create_modify_and_delete\nok ignored_files_of_tools_stay_tracked\n',
      );
    });
  }

  it('the session shows every change with its texts', async () => {
    await writeFile(file('main.py'), 'new\n');
    await writeFile(file('added.py'), 'one\ntwo\n');
    await writeFile(file('binary'), Buffer.from([0, 1, 2]));
    await writeFile(file('large.txt'), 'x'.repeat(1_100_000));
    await rm(file('old.py'));
    const status = await client.call('GET', at('session'));
    assert.deepEqual(
      [status.active_session, status.session_ref, status.has_unapproved, status.last_approved_at],
      ['session_1', 'refs/heads/session_1', true, null],
    );
    const found = Object.fromEntries((await changed()).map(({ path: name, ...rest }) => [name, rest]));
    const plain = { is_binary: false, is_too_large: false };
    assert.deepEqual(found['added.py'], {
      status: 'added',
      additions: 2,
      deletions: 0,
      diff: null,
      base_content: null,
      ...plain,
    });
    assert.deepEqual(found['old.py'], {
      status: 'deleted',
      additions: 0,
      deletions: 1,
      diff: null,
      base_content: 'old\n',
      ...plain,
    });
    const { diff, ...modified } = found['main.py'] ?? {};
    assert.deepEqual(modified, { status: 'modified', additions: 1, deletions: 1, base_content: 'old\n', ...plain });
    assert.match(String(diff), /^--- a\/main\.py\n\+\+\+ b\/main\.py\n@@ -1(,1)? \+1(,1)? @@\n-old\n\+new\n/);
    assert.deepEqual([found['binary']?.is_binary, found['large.txt']?.is_too_large], [true, true]);
  });

  it('approving locks in the changes, and a reset discards those after it', async () => {
    await writeFile(file('main.py'), 'approved\n');
    await say();
    const approved = await client.call('POST', at('approve'), { message: 'Feature complete' });
    assert.deepEqual([approved.new_session, approved.commits_approved], ['session_2', 1]);
    const after = await client.call('GET', at('session'));
    assert.deepEqual([after.active_session, after.has_unapproved, after.changed_files], ['session_2', false, []]);
    assert.match(String(after.last_approved_at), /^\d{4}-.*Z$/);
    await writeFile(file('main.py'), 'discarded\n');
    await writeFile(file('new.py'), 'discarded\n');
    const reset = await client.call('POST', at('reset'));
    assert.deepEqual([reset.reset_to, reset.new_session], [approved.approved_commit, 'session_3']);
    assert.deepEqual([await readFile(file('main.py'), 'utf8'), existsSync(file('new.py'))], ['approved\n', false]);
    assert.equal((await client.call('GET', at('session'))).has_unapproved, false);
  });

  it('a restore to a checkpoint keeps the session and can be undone', async () => {
    await say(call('create_file', { path: 'x.py', content: 'x\n' }));
    const [, first] = await checkpoints();
    const { restored_to: to, new_checkpoint: made } = await restore(first?.commit_id ?? '');
    assert.deepEqual([to, existsSync(file('x.py'))], [first?.commit_id, false]);
    assert.equal((await checkpoints()).at(-1)?.commit_id, made);
    const before = (await checkpoints()).at(-2)?.commit_id ?? '';
    await restore(before);
    assert.equal(existsSync(file('x.py')), true);
    assert.equal((await client.call('GET', at('session'))).active_session, 'session_1');
  });

  it('two dialogs do not share checkpoints', async () => {
    const other = await client.call<{ id: string }>('POST', '/api/dialogs', {});
    const answer = await client.send('POST', `/api/dialogs/${other.id}/restore`, { checkpoint_id: initial });
    assert.equal(answer.status, 404);
  });
});
