import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { noEditors } from '../../agent/support/editorDoubles';
import { ApiBench } from '../support';
import { python } from './python';

const call = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Model with a context window that is large enough for all tools. */
const large = { name: 'worker', capabilities: ['completion', 'tools'], contextLength: 65_536 } as const;

type Data = Record<string, unknown>;
interface Shown {
  id: string;
  type: string;
  seq: number;
  isCompacted: boolean;
  planItemId?: string;
  restorePointId?: string;
  toolCallData?: Data;
  fileEditData?: Data;
  compactData?: Data;
}

/** Columns and values in the tables of code sessions, checked with clients in Node and Python. */
describe('conformance: rows of the tables of code sessions', () => {
  let bench: ApiBench;
  let id: string;
  beforeEach(async () => {
    bench = await ApiBench.start({ models: [large], editors: { ...noEditors, rename } });
    for (const name of ['kept', 'changed', 'old', 'gone']) await writeFile(bench.agent.file(`${name}.txt`), `${name}\n`);
    ({ id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {}));
    bench.agent.double.script.push(
      call('create_file', { path: 'made.txt', content: 'made\n' }),
      call('write_file', { path: 'changed.txt', content: 'new\n' }),
      call('delete_file', { path: 'gone.txt' }),
      call('rename_file', { path: 'old.txt', newPath: 'new.txt' }),
      call('read_file', { path: 'nowhere.txt' }),
      'All is made. [TASK_COMPLETE]',
    );
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Change them', mode: 'agent' });
    await bench.agent.over(id);
    const { log, queries } = bench.agent.database;
    await log.append(id, { type: 'assistant_output', content: 'A step', data: { end: 'complete' }, planItemId: 'step-1' });
    await queries.markCompacted(id, 4, 'In short');
  });
  afterEach(() => bench.stop());

  if (process.platform !== 'win32')
    it('are found by a client in Python', async () => {
      const names = [
        ...['transcript_entries_have_every_type_and_column', 'tool_calls_have_name_input_output_status_and_duration'],
        ...['file_edits_have_each_operation', 'compacted_entries_are_marked_and_left_out'],
        ...['restore_points_are_linked_and_sum_their_files', 'tool_events_have_session_tool_duration_and_success'],
        'deleting_a_session_deletes_its_rows',
      ];
      assert.equal(await python('rows.py', bench, id), names.map((name) => `ok ${name}\n`).join(''));
    });

  it('are found by a client in Node', async () => {
    const { ask } = await bench.socket();
    const get = async (more: object) =>
      ((await ask('code:get-transcript', { sessionId: id, limit: 1_000, ...more })) as { entries: Shown[] }).entries;
    const all = await get({ includeCompacted: true });
    const of = (type: string) => all.filter((entry) => entry.type === type);
    const types = ['user_input', 'assistant_output', 'tool_call', 'tool_result', 'file_edit', 'compact_marker', 'system_message'];
    for (const type of types) assert.deepEqual(await get({ types: [type], includeCompacted: true }), of(type), type);
    assert.deepEqual([...new Set(all.map(({ type }) => type))].sort(), types.sort());
    assert.deepEqual(
      all.map(({ seq }) => seq),
      all.map((_entry, index) => index + 1),
    );
    assert.deepEqual(
      all.flatMap(({ planItemId }) => planItemId ?? []),
      ['step-1'],
    );

    for (const { toolCallData } of [...of('tool_call'), ...of('tool_result')])
      assert.deepEqual(Object.keys(toolCallData ?? {}).sort(), ['duration', 'id', 'input', 'name', 'output', 'status']);
    const calls = of('tool_call').map(({ toolCallData }) => [toolCallData?.['name'], toolCallData?.['status']]);
    assert.deepEqual(calls, [
      ...['create_file', 'write_file', 'delete_file', 'rename_file'].map((name) => [name, 'success']),
      ['read_file', 'error'],
    ]);
    const edits = of('file_edit').map(({ fileEditData: { path, operation, additions, deletions } = {} }) => {
      return [operation, path, additions, deletions];
    });
    assert.deepEqual(edits, [
      ['create', 'made.txt', 1, 0],
      ['modify', 'changed.txt', 1, 1],
      ['delete', 'gone.txt', 0, 1],
      ['rename', 'old.txt', 0, 0],
    ]);

    const [marker] = of('compact_marker');
    assert.deepEqual(marker?.compactData, { compactedCount: 4, summary: 'In short' });
    assert.deepEqual(
      all.map(({ isCompacted }) => isCompacted),
      all.map((_entry, index) => index < 4),
    );
    assert.deepEqual(await get({}), all.slice(4));

    type Point = { id: string; totalSize: number; fileCount: number };
    type File = { path: string; objectHash: string; mode: number; size: number };
    const points = (await ask('code:list-restore-points', { sessionId: id })) as Point[];
    assert.ok(points.some((point) => point.id === of('user_input')[0]?.restorePointId));
    for (const point of points) {
      const { files } = (await ask('code:get-restore-point', { id: point.id })) as { files: File[] };
      const size = files.reduce((sum, file) => sum + file.size, 0);
      assert.deepEqual([point.fileCount, point.totalSize], [files.length, size]);
      const kept = files.find(({ path }) => path === 'kept.txt');
      assert.deepEqual(kept, { path: 'kept.txt', objectHash: hashOf('kept\n'), mode: 0o644, size: 5 });
    }

    const { tools } = await bench.agent.database.statistics(0);
    const counted = tools.map(({ tool, calls: count, successes, failures }) => [tool, count, successes, failures]);
    assert.deepEqual(counted.sort(), [
      ...['create_file', 'delete_file'].map((tool) => [tool, 1, 1, 0]),
      ['read_file', 1, 0, 1],
      ...['rename_file', 'write_file'].map((tool) => [tool, 1, 1, 0]),
    ]);
    assert.ok(tools.every(({ averageMs }) => averageMs !== null && averageMs >= 0));

    assert.equal(await ask('code:delete-session', { id }), true);
    assert.equal(((await ask('code:get-transcript', { sessionId: id })) as { error: { code: string } }).error.code, 'NOT_FOUND');
    assert.equal(await ask('code:get-restore-point', { id: points[0]?.id }), null);
  });
});
