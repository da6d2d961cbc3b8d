import assert from 'node:assert/strict';
import { ImportBench, jsonLines } from './support/importBench';

describe('Code sessions', () => {
  let bench: ImportBench;
  beforeEach(async () => {
    bench = await ImportBench.create();
  });
  afterEach(() => bench.clean());

  const at = (second: number): string => new Date(Date.UTC(2025, 0, 1, 12, 0, second)).toISOString();
  const entry = (id: string, type: string, content: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
    id,
    sessionId: 'session_1',
    type,
    content,
    timestamp: at(Number(id.slice(1))),
    ...more,
  });
  const write = (session: Record<string, unknown> | string, ...lines: unknown[]): void => {
    bench.write('session_1/session.json', typeof session === 'string' ? session : JSON.stringify(session));
    bench.write('session_1/transcript.jsonl', jsonLines(...lines));
  };
  const session = (status: string): Record<string, unknown> => ({
    id: 'session_1',
    projectPath: '/projects/app',
    status,
    createdAt: at(0),
    updatedAt: at(59),
  });

  it('keep ids, order, times, links and what calls came to', async () => {
    const output = { lines: 3 };
    write(
      session('stopped'),
      entry('e1', 'user_input', 'Fix the parser', { planItemId: 'plan_1' }),
      entry('e2', 'tool_call', 'Read parser.ts', {
        toolCall: { name: 'Read', input: { path: 'parser.ts' }, output, status: 'success', duration: 12 },
      }),
      entry('e3', 'tool_call', '', { toolCall: { name: 'Bash', input: {}, status: 'error' } }),
      entry('e4', 'tool_result', 'exit 1', { toolCall: { name: 'Bash' } }),
      entry('e5', 'file_edit', '', { fileEdit: { path: 'parser.ts', operation: 'modify', diff: '--- a\n+++ b\n-x\n+y\n+z' } }),
      entry('e6', 'compact_marker', '', { compactMarker: { compactedCount: 4, summary: 'So far' } }),
      entry('e7', 'system_message', 'Note'),
      entry('e8', 'assistant_output', 'Done'),
    );
    const report = await bench.import();
    assert.deepEqual(report.issues, []);
    assert.deepEqual(
      report.sessions.map(({ id, title, outcome, added }) => ({ id, title, outcome, added })),
      [{ id: 'session_1', title: 'Fix the parser', outcome: 'imported', added: 10 }],
    );
    const entries = await bench.entries('session_1');
    assert.deepEqual(
      entries.map(({ id, type, content }) => [id, type, content]),
      [
        ['e1', 'user_input', 'Fix the parser'],
        ['e2', 'tool_call', ''],
        ['e3', 'tool_call', ''],
        ['e4', 'tool_result', 'exit 1'],
        ['e5', 'file_edit', ''],
        ['e2#result', 'tool_result', '{"lines":3}'],
        ['e6', 'compact_marker', 'So far'],
        ['e7', 'system_message', 'Note'],
        ['e8', 'assistant_output', 'Done'],
        ['e8#end', 'run_end', ''],
      ],
    );
    assert.deepEqual(
      entries.map(({ timestamp }) => timestamp),
      [1, 2, 3, 4, 5, 5.001, 6, 7, 8, 8.001].map((seconds) => Date.UTC(2025, 0, 1, 12, 0, 0) + seconds * 1000),
    );
    assert.equal(entries[0]?.planItemId, 'plan_1');
    const [, , , result, edit, , marker] = entries;
    assert.ok(result?.type === 'tool_result' && edit?.type === 'file_edit' && marker?.type === 'compact_marker');
    assert.deepEqual(result.data, { callId: 'e3', name: 'Bash', status: 'error' });
    assert.deepEqual([edit.data.additions, edit.data.deletions, marker.data.throughSeq], [2, 1, 6]);
    const record = await (await bench.database()).sessions.get('session_1');
    assert.deepEqual(
      [record?.created_at, record?.updated_at, record?.project_path],
      [Date.parse(at(0)), Date.parse(at(8)) + 1, '/projects/app'],
    );
  });

  it('have the statuses of this product', async () => {
    const statuses = {
      starting: 'generating',
      running: 'generating',
      stopped: 'idle',
      waiting_input: 'waiting_input',
      paused: 'paused',
    };
    for (const status of Object.keys(statuses)) {
      bench.write(`${status}/session.json`, JSON.stringify({ ...session(status), id: status }));
      bench.write(
        `${status}/transcript.jsonl`,
        jsonLines({ ...entry('e1', 'user_input', 'Hi'), id: `${status}-1`, sessionId: status }),
      );
    }
    await bench.import();
    const { sessions } = await bench.database();
    const found = await Promise.all(Object.keys(statuses).map(async (id) => [id, (await sessions.get(id))?.status]));
    assert.deepEqual(Object.fromEntries(found), statuses);
  });

  it('know what a summary stands for by the marks of the entries, and tell of marks without a summary', async () => {
    const marked = { isCompacted: true };
    const call = { toolCall: { name: 'Read', input: {}, output: 'x', status: 'success' } };
    write(
      session('stopped'),
      entry('e1', 'user_input', 'One', marked),
      entry('e2', 'tool_call', '', { ...call, ...marked }),
      entry('e3', 'assistant_output', 'Two'),
      entry('e4', 'user_input', 'Three'),
      entry('e5', 'compact_marker', '', { compactMarker: { compactedCount: 2, summary: 'So far' } }),
      entry('e6', 'user_input', 'Four', marked),
      entry('e7', 'assistant_output', 'Five', marked),
    );
    const report = await bench.import();
    const entries = await bench.entries('session_1');
    const marker = entries.find(({ type }) => type === 'compact_marker');
    assert.ok(marker?.type === 'compact_marker');
    // The result of the call is the last compacted entry.
    assert.equal(entries.find(({ seq }) => seq === marker.data.throughSeq)?.id, 'e2#result');
    assert.deepEqual(
      report.leftOut.map(({ kind, count }) => [kind, count]),
      [['compacted', 2]],
    );
  });

  it('tell of a status that is not known', async () => {
    write(session('sleeping'), entry('e1', 'user_input', 'Hi'));
    const { issues } = await bench.import();
    assert.deepEqual(
      issues.map(({ lines, reason, detail }) => [lines, reason, detail]),
      [[null, 'unknownStatus', 'sleeping']],
    );
    assert.equal((await (await bench.database()).sessions.get('session_1'))?.status, 'idle');
  });

  it('list what is not theirs or cannot be read, by line, and take the rest', async () => {
    write(
      session('stopped'),
      entry('e1', 'user_input', 'One'),
      '{"id":"e2","type":',
      '',
      entry('e3', 'something_else', 'Two'),
      entry('e4', 'user_input', 'Not mine', { sessionId: 'other' }),
      entry('e1', 'user_input', 'One'),
      entry('e6', 'user_input', 'No time', { timestamp: 'yesterday' }),
      'null',
      '[1]',
      { id: 'e9', sessionId: 'session_1', type: 'user_input' },
    );
    const report = await bench.import();
    assert.deepEqual(
      report.issues.map(({ lines, reason }) => [...(lines ?? []), reason]),
      [
        [2, 2, 'notJson'],
        [4, 4, 'unknownForm'],
        [5, 5, 'otherSession'],
        [6, 6, 'repeated'],
        [7, 7, 'noTime'],
        [8, 10, 'unknownForm'],
      ],
    );
    assert.equal(report.issueCount, 8);
    assert.deepEqual(
      (await bench.entries('session_1')).map(({ content }) => content),
      ['One', 'No time'],
    );
  });

  it('keep an entry that has the id of another one, and say so', async () => {
    write(
      session('stopped'),
      entry('e1', 'user_input', 'One'),
      entry('e1', 'user_input', 'Two'),
      entry('e1', 'user_input', 'Three'),
      entry('e1', 'user_input', 'Two'),
    );
    const read = async () => (await bench.entries('session_1')).map(({ content }) => content);
    const { issues } = await bench.import();
    assert.deepEqual(
      issues.map(({ lines, reason }) => [lines, reason]),
      [[[2, 4], 'repeated']],
    );
    assert.deepEqual(await read(), ['One', 'Two', 'Three']);
    assert.equal((await bench.import()).sessions[0]?.outcome, 'unchanged');
    assert.deepEqual(await read(), ['One', 'Two', 'Three']);
  });

  it('are taken by the name of their folder where session.json cannot be read', async () => {
    write('{"id":', entry('e1', 'user_input', 'One'));
    const report = await bench.import();
    assert.deepEqual(
      [report.sessions[0]?.id, report.sessions[0]?.outcome, report.issues[0]?.reason],
      ['session_1', 'imported', 'noSession'],
    );
  });

  it('without a conversation are told of and not made', async () => {
    bench.write('session_1/session.json', JSON.stringify(session('stopped')));
    const report = await bench.import();
    assert.deepEqual([report.sessions[0]?.outcome, report.issues[0]?.reason], ['empty', 'noTranscript']);
    assert.deepEqual((await (await bench.database()).sessions.list({ offset: 0, limit: 9 })).sessions, []);
  });
});
