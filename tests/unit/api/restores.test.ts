import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiBench } from './support';

interface Restored {
  restored_files: string[];
  skipped_files: { path: string; reason: string }[];
  new_checkpoint: string;
}

describe('restores through the API', () => {
  let bench: ApiBench;
  let id: string;
  let initial: string;
  const file = (name: string) => bench.agent.file(name);
  const text = (name: string) => readFile(file(name), 'utf8');

  beforeEach(async () => {
    bench = await ApiBench.start();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(file(name), 'first\n');
    ({ id, initial_checkpoint: initial } = await bench.ok<{ id: string; initial_checkpoint: string }>(
      'POST',
      '/api/dialogs',
      {},
    ));
  });
  afterEach(() => bench.stop());

  /** Makes edits by hand: changes one file, deletes one and creates one. */
  async function edit(): Promise<void> {
    await writeFile(file('a.txt'), 'mine\n');
    await rm(file('b.txt'));
    await writeFile(file('new.txt'), 'mine\n');
  }

  const restore = (body: Record<string, unknown>) => bench.ok<Restored>('POST', `/api/dialogs/${id}/restore`, body);

  it('have an initial checkpoint from the beginning of the dialog', async () => {
    const { checkpoints, initial_checkpoint: listed } = await bench.ok<Record<string, unknown[] | string>>(
      'GET',
      `/api/dialogs/${id}/checkpoints`,
    );
    assert.deepEqual([listed, checkpoints?.length], [initial, 1]);
  });

  it('revert hand edits too, and can be undone by the checkpoint before', async () => {
    await edit();
    const { restored_files, skipped_files } = await restore({ checkpoint_id: initial });
    assert.deepEqual([restored_files, skipped_files], [['a.txt', 'b.txt', 'new.txt'], []]);
    assert.deepEqual([await text('a.txt'), await text('b.txt'), existsSync(file('new.txt'))], ['first\n', 'first\n', false]);
    const { checkpoints } = await bench.ok<{ checkpoints: { commit_id: string; message: string }[] }>(
      'GET',
      `/api/dialogs/${id}/checkpoints`,
    );
    const before = checkpoints.find(({ message }) => message.startsWith('Before restoring'));
    await restore({ checkpoint_id: before?.commit_id });
    assert.deepEqual([await text('a.txt'), existsSync(file('b.txt')), await text('new.txt')], ['mine\n', false, 'mine\n']);
  });

  it('leave hand edits alone on request, with the reason', async () => {
    await edit();
    const reasons = ['a.txt', 'b.txt', 'new.txt'].map((name) => ({ path: name, reason: 'changedSince' }));
    const { restored_files, skipped_files } = await restore({ checkpoint_id: initial, keep_own_edits: true });
    assert.deepEqual([restored_files, skipped_files], [[], reasons]);
    assert.equal(await text('a.txt'), 'mine\n');
    const planned = await restore({ checkpoint_id: initial, dryRun: true });
    assert.deepEqual(planned.restored_files, ['a.txt', 'b.txt', 'new.txt']);
    assert.equal(await text('a.txt'), 'mine\n');
  });

  it('restore only the named files, and name those that nothing knows', async () => {
    await edit();
    const named = [file('a.txt'), './b.txt', 'nothing.txt'];
    const { restored_files, skipped_files } = await restore({ checkpoint_id: initial, files: named });
    assert.deepEqual([restored_files, skipped_files], [['a.txt', 'b.txt'], [{ path: 'nothing.txt', reason: 'notFound' }]]);
    assert.equal(await text('new.txt'), 'mine\n');
  });

  it('never overwrite unsaved text of an editor', async () => {
    await writeFile(file('a.txt'), 'mine\n');
    bench.agent.unsaved.set(file('a.txt'), () => undefined);
    const { skipped_files } = await restore({ checkpoint_id: initial });
    assert.deepEqual(skipped_files, [{ path: 'a.txt', reason: 'unsaved' }]);
    assert.equal(await text('a.txt'), 'mine\n');
  });

  it('reset everything to the approved state, which leaves nothing unapproved', async () => {
    await bench.ok('POST', `/api/dialogs/${id}/approve`, {});
    await edit();
    assert.equal((await bench.ok<Record<string, unknown>>('GET', `/api/dialogs/${id}/session`))['has_unapproved'], true);
    const kept = await bench.ok<Restored>('POST', `/api/dialogs/${id}/reset`, { keep_own_edits: true });
    assert.deepEqual(kept.skipped_files.length, 3);
    const done = await bench.ok<Restored & { new_session: string }>('POST', `/api/dialogs/${id}/reset`);
    assert.deepEqual([done.restored_files, 'skipped_files' in done], [['a.txt', 'b.txt', 'new.txt'], false]);
    const { has_unapproved, active_session } = await bench.ok<Record<string, unknown>>('GET', `/api/dialogs/${id}/session`);
    assert.deepEqual([has_unapproved, active_session], [false, done.new_session]);
  });

  it('write into a folder of the workspace without a question, but not where programs read code from', async () => {
    await mkdir(file('copy'));
    await restore({ checkpoint_id: initial, targetDir: file('copy'), files: ['a.txt'] });
    assert.equal(await text('copy/a.txt'), 'first\n');
    await restore({ checkpoint_id: initial, targetDir: file('new/deep'), files: ['a.txt'] });
    assert.deepEqual(bench.asked, ['script write']);
    bench.allowsFolder = false;
    const targetDir = file('.git/hooks');
    assert.equal((await bench.call('POST', `/api/dialogs/${id}/restore`, { checkpoint_id: initial, targetDir })).status, 403);
  });

  if (process.platform !== 'win32')
    it('do not list links as changes', async () => {
      await symlink('a.txt', file('link'));
      const { changed_files, has_unapproved } = await bench.ok<Record<string, unknown>>('GET', `/api/dialogs/${id}/session`);
      assert.deepEqual([changed_files, has_unapproved], [[], false]);
    });

  it('name the parameters that the API does not know', async () => {
    const { status, body } = await bench.call('POST', `/api/dialogs/${id}/restore`, { checkpoint_id: initial, keepOwn: true });
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /keepOwn/);
    const listed = await bench.call('GET', `/api/dialogs/${id}/history?limits=3`);
    assert.equal(listed.status, 400);
    assert.match(JSON.stringify(listed.body), /limits/);
  });

  it('give the absolute path of an edited file', async () => {
    const call = `<tool_call>{"name": "write_file", "arguments": {"path": "a.txt", "content": "second\\n"}}</tool_call>`;
    bench.agent.double.script.push(call, 'Done. [TASK_COMPLETE]');
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Edit', mode: 'agent' });
    await bench.agent.over(id);
    const { events } = await bench.ok<{ events: Record<string, unknown>[] }>('GET', `/api/dialogs/${id}/history`);
    const edited = events.find(({ type }) => type === 'file_edit');
    assert.deepEqual([edited?.['file'], edited?.['path']], [path.join(bench.agent.folders.workspace, 'a.txt'), 'a.txt']);
    const { entries } = (await (await bench.socket()).ask('code:get-transcript', { sessionId: id })) as {
      entries: { type: string; content: string; toolCallData?: Record<string, unknown> }[];
    };
    const called = entries.filter(({ type }) => type === 'tool_call' || type === 'tool_result');
    assert.deepEqual(
      called.map(({ toolCallData: { id: callId, duration, output, ...rest } = {} }) => [
        ...[typeof callId, typeof duration, typeof output],
        rest,
      ]),
      Array.from({ length: 2 }, () => [
        ...['string', 'number', 'string'],
        { name: 'write_file', input: { path: 'a.txt', content: 'second\n' }, status: 'success' },
      ]),
    );
    assert.ok(entries.every(({ type, content }) => type !== 'system_message' || content !== ''));
  });
});
