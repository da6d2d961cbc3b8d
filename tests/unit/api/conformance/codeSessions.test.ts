import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { ApiBench } from '../support';
import { python } from './python';

const call = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;

/** Rows in the specification of code sessions, checked with clients in Node and Python. */
describe('conformance: code sessions', () => {
  let bench: ApiBench;
  let id: string;
  beforeEach(async () => {
    bench = await ApiBench.start();
    await writeFile(bench.agent.file('a.txt'), 'first\n');
    ({ id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {}));
    const edit = call('write_file', { path: 'a.txt', content: 'second\n' });
    bench.agent.double.script.push(edit, 'The tests are running now. [TASK_COMPLETE]');
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Change it', mode: 'agent' });
    await bench.agent.over(id);
  });
  afterEach(() => bench.stop());

  if (process.platform !== 'win32')
    it('every request answers a client in Python as specified', async () => {
      const stdout = await python('client.py', bench, id);
      assert.equal(stdout.match(/^ok /gm)?.length, 8, stdout);
      assert.doesNotMatch(stdout, /^not ok/m);
    });

  it('every request answers a client in Node as specified', async () => {
    const { ask } = await bench.socket();
    const keys = async (type: string, params: object) => {
      const answer = await ask(`code:${type}`, params);
      const [one] = Array.isArray(answer) ? (answer as object[]) : [answer as object];
      return Object.keys(one ?? {}).sort();
    };
    const points = (await ask('code:list-restore-points', { sessionId: id })) as { id: string }[];
    const point = points.at(-1)?.id;
    const entry = ['content', 'id', 'isCompacted', 'seq', 'sessionId', 'timestamp', 'type'];
    const described = ['description', 'fileCount', 'id', 'sessionId', 'timestamp', 'totalSize'];
    const targetDir = bench.agent.folders.workspace;
    const rows: [string, object, string[]][] = [
      ['list-sessions', {}, ['createdAt', 'id', 'projectPath', 'status', 'updatedAt']],
      ['get-session', { id }, ['createdAt', 'id', 'projectPath', 'status', 'updatedAt']],
      ['get-transcript', { sessionId: id, limit: 1 }, ['entries', 'hasMore', 'nextSeq']],
      ['get-recent-transcript', { sessionId: id, limit: 1 }, [...entry, 'systemData'].sort()],
      ['search-transcript', { sessionId: id, query: 'run' }, ['entry', 'rank', 'snippet']],
      ['get-file-edits', { sessionId: id }, [...entry, 'fileEditData'].sort()],
      ['list-restore-points', { sessionId: id }, described],
      ['get-restore-point', { id: point }, [...described, 'files'].sort()],
      ['restore', { restorePointId: point, targetDir, dryRun: true }, ['restoredFiles', 'skippedFiles']],
      ['gc', {}, ['freedBytes', 'removed']],
    ];
    const found = [];
    for (const [type, params] of rows) found.push([type, await keys(type, params)]);
    assert.deepEqual(
      found,
      rows.map(([type, , expected]) => [type, expected]),
    );
    assert.equal(
      await ask('code:get-file-at-restore-point', { restorePointId: point, filePath: 'a.txt' }),
      Buffer.from('first\n').toString('base64'),
    );
    assert.equal(await ask('code:delete-restore-point', { id: points[0]?.id }), true);
    assert.equal(await ask('code:delete-session', { id }), true);
    assert.equal(await ask('code:get-session', { id }), null);
  });
});
