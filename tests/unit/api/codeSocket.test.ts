import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { ApiBench } from './support';

describe('the local API: requests over a WebSocket', () => {
  let bench: ApiBench;
  let id: string;
  let ask: Awaited<ReturnType<ApiBench['socket']>>['ask'];
  beforeEach(async () => {
    bench = await ApiBench.start();
    await writeFile(bench.agent.file('a.txt'), 'first\n');
    bench.agent.double.script.push('The answer is <42>.');
    id = await bench.agent.ask('What is the answer?', { mode: 'ask' });
    ({ ask } = await bench.socket());
  });
  afterEach(() => bench.stop());

  it('tells of sessions and their transcripts, from a place on and backwards', async () => {
    const { workspace } = bench.agent.folders;
    const session = (await ask('code:get-session', { id })) as Record<string, unknown>;
    assert.deepEqual([session.id, session.projectPath, session.status], [id, workspace, 'stopped']);
    assert.deepEqual(await ask('code:list-sessions'), [session]);
    assert.equal(await ask('code:get-session', { id: 'nobody' }), null);

    type Page = {
      entries: { seq: number; type: string; content: string; sessionId: string }[];
      hasMore: boolean;
      nextSeq?: number;
    };
    const first = (await ask('code:get-transcript', { sessionId: id, limit: 2 })) as Page;
    assert.deepEqual([first.entries.length, first.hasMore, first.nextSeq], [2, true, 2]);
    const rest = (await ask('code:get-transcript', { sessionId: id, sinceSeq: first.nextSeq })) as Page;
    assert.deepEqual(
      [...first.entries, ...rest.entries].map(({ seq, type, content }) => [seq, type, content]),
      [
        [1, 'system_message', 'Before user message: What is the answer?'],
        [2, 'user_input', 'What is the answer?'],
        [3, 'assistant_output', 'The answer is <42>.'],
        [4, 'system_message', 'Run ended: done'],
      ],
    );
    assert.deepEqual([rest.hasMore, rest.nextSeq], [false, undefined]);
    const only = (await ask('code:get-transcript', { sessionId: id, types: ['assistant_output'] })) as Page;
    assert.deepEqual(
      only.entries.map(({ seq }) => seq),
      [3],
    );
    const recent = (await ask('code:get-recent-transcript', { sessionId: id, limit: 2 })) as Page['entries'];
    assert.deepEqual(
      recent.map(({ seq }) => seq),
      [3, 4],
    );
    assert.deepEqual(await ask('code:get-file-edits', { sessionId: id }), []);
  });

  it('finds what was said, with the match marked and all else as text', async () => {
    const found = (await ask('code:search-transcript', { sessionId: id, query: 'answer' })) as {
      snippet: string;
      rank: number;
      entry: { seq: number };
    }[];
    assert.deepEqual(found.map(({ snippet }) => snippet).sort(), [
      'The <mark>answer</mark> is &lt;42&gt;.',
      'What is the <mark>answer</mark>?',
    ]);
    assert.ok(found.every(({ rank }) => rank < 0));
    assert.deepEqual(found.map(({ entry }) => entry.seq).sort(), [2, 3]);
  });

  it('lists, reads, restores and removes restore points', async () => {
    type Point = { id: string; description: string; fileCount: number; files: { path: string }[] };
    const points = (await ask('code:list-restore-points', { sessionId: id })) as Point[];
    assert.deepEqual(
      points.map(({ description }) => description),
      ['Before user message: What is the answer?', 'Initial state'],
    );
    const point = (await ask('code:get-restore-point', { id: points[1]?.id })) as Point;
    assert.deepEqual([point.fileCount, point.files.map(({ path }) => path)], [1, ['a.txt']]);
    const at = { restorePointId: point.id };
    const content = String(await ask('code:get-file-at-restore-point', { ...at, filePath: 'a.txt' }));
    assert.equal(Buffer.from(content, 'base64').toString(), 'first\n');
    assert.equal(await ask('code:get-file-at-restore-point', { ...at, filePath: '../a.txt' }), null);
    const targetDir = bench.agent.folders.workspace;
    const planned = await ask('code:restore', { ...at, targetDir, dryRun: true });
    assert.deepEqual(planned, { restoredFiles: [], skippedFiles: [] });
    assert.deepEqual(await ask('code:restore', { ...at, targetDir, files: ['a.txt'] }), { restoredFiles: [], skippedFiles: [] });
    assert.equal(await ask('code:delete-restore-point', { id: points[0]?.id }), true);
    const gc = (await ask('code:gc')) as Record<string, unknown>;
    assert.deepEqual(Object.keys(gc).sort(), ['freedBytes', 'removed']);
    assert.deepEqual(bench.asked, ['script write']);
  });

  it('says what it does not know, does not take, and is not allowed', async () => {
    const codeOf = async (type: string, params?: unknown) => {
      const { error } = (await ask(type, params)) as { error: { code: string } };
      return error.code;
    };
    assert.equal(await codeOf('code:nothing'), 'NOT_FOUND');
    assert.equal(await codeOf('code:get-session', {}), 'INVALID');
    assert.equal(await codeOf('code:get-transcript', { sessionId: 'nobody' }), 'NOT_FOUND');
    assert.equal(await codeOf('code:get-transcript', { sessionId: 'nobody', since: 1 }), 'INVALID');
    assert.equal(await ask('code:get-restore-point', { id: 'nobody' }), null);
    bench.allows = null;
    assert.equal(await codeOf('code:delete-session', { id }), 'NOT_ALLOWED');
    bench.allows = 60_000;
    assert.equal(await ask('code:delete-restore-point', { id: 'nobody' }), false);
    assert.equal(await codeOf('code:restore', { restorePointId: 'nobody', targetDir: '/' }), 'NOT_FOUND');
    assert.equal(await ask('code:delete-session', { id }), true);
    assert.equal(await ask('code:delete-session', { id }), false);
    assert.equal(await ask('code:get-session', { id }), null);
  });
});
