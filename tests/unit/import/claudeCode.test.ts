import assert from 'node:assert/strict';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import { claudeId, ClaudeTranscript, ImportBench, jsonLines } from './support/importBench';

describe('Transcripts of Claude Code', () => {
  let bench: ImportBench;
  beforeEach(async () => {
    bench = await ImportBench.create();
  });
  afterEach(() => bench.clean());

  const write = (transcript: ClaudeTranscript | string, id = claudeId): string =>
    bench.write(`-work-app/${id}.jsonl`, transcript.toString());
  const forms = async (id = claudeId): Promise<[type: string, content: string][]> =>
    (await bench.entries(id)).map(({ type, content }) => [type, content]);

  it('become sessions whose entries keep their ids, order and times', async () => {
    const transcript = new ClaudeTranscript();
    transcript.line('file-history-snapshot', { snapshot: {} });
    const asked = transcript.user('Add a test\nfor the parser');
    const thought = transcript.assistant({ type: 'thinking', thinking: 'Where is it?', signature: 'x' });
    transcript.call('toolu_1', 'Read', { file_path: '/projects/app/src/parser.ts' });
    transcript.result('toolu_1', [{ type: 'text', text: 'export const parse = 1;' }]);
    transcript.call('toolu_2', 'Edit', { file_path: '/projects/app/src/parser.ts', old_string: '1', new_string: '2' });
    const structuredPatch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-const a = 1', '+const a = 2'] }];
    transcript.result('toolu_2', 'updated', { toolUseResult: { filePath: '/projects/app/src/parser.ts', structuredPatch } });
    const answered = transcript.text('Done.');
    transcript.lines.push({ type: 'summary', summary: 'Parser tests', leafUuid: answered });
    write(transcript);

    const report = await bench.import();
    assert.deepEqual(
      report.sessions.map(({ id, title, outcome, added }) => ({ id, title, outcome, added })),
      [{ id: claudeId, title: 'Parser tests', outcome: 'imported', added: 9 }],
    );
    assert.deepEqual(report.issues, []);
    assert.deepEqual(
      report.leftOut.map(({ kind, count }) => [kind, count]),
      [['file-history-snapshot', 1]],
    );
    const entries = await bench.entries(claudeId);
    assert.deepEqual(
      entries.map(({ type }) => type),
      [
        'user_input',
        'thinking',
        'tool_call',
        'tool_result',
        'tool_call',
        'tool_result',
        'file_edit',
        'assistant_output',
        'run_end',
      ],
    );
    assert.deepEqual(
      [entries[0], entries[1], entries[7]].map((entry) => entry?.id),
      [asked, thought, answered],
    );
    assert.equal(entries[0]?.timestamp, Date.UTC(2025, 0, 1, 12, 0, 2));
    const edit = entries[6];
    assert.ok(edit?.type === 'file_edit');
    assert.deepEqual(edit.data, {
      callId: 'toolu_2',
      path: 'src/parser.ts',
      operation: 'modify',
      beforeHash: null,
      afterHash: null,
      diff: '--- a/src/parser.ts\n+++ b/src/parser.ts\n@@ -1,1 +1,1 @@\n-const a = 1\n+const a = 2\n',
      additions: 1,
      deletions: 1,
    });
    const [turn] = reduceTimeline(entries, { isLive: false }).turns;
    assert.equal(turn?.outcome, 'done');
    assert.equal(turn?.model, 'claude-test');
  });

  it('are marked as imported and approve nothing by themselves', async () => {
    const transcript = new ClaudeTranscript();
    transcript.user('Hello', { permissionMode: 'bypassPermissions' });
    const file = write(transcript);
    await bench.import();
    const record = await (await bench.database()).sessions.get(claudeId);
    assert.deepEqual(
      [
        record?.auto_approve_commands,
        record?.auto_approve_sensitive_edits,
        record?.allowed_commands,
        record?.sensitive_file_patterns,
      ],
      [0, 0, '[]', null],
    );
    assert.deepEqual(
      [record?.status, record?.project_path, record?.model, record?.mode],
      ['idle', '/projects/app', null, 'agent'],
    );
    assert.deepEqual(JSON.parse(record?.imported ?? ''), { format: 'claudeCode', place: file, revision: 1 });
  });

  it('are found by the search', async () => {
    const transcript = new ClaudeTranscript();
    transcript.user('Where is the zeppelin?');
    write(transcript);
    await bench.import();
    const database = await bench.database();
    database.noteImport();
    const { found } = await database.search({ query: 'zeppelin', offset: 0, limit: 10 });
    assert.deepEqual(
      found.map(({ sessionId }) => sessionId),
      [claudeId],
    );
  });

  it('that were rewound show the branch that was gone on with, and keep the other', async () => {
    const transcript = new ClaudeTranscript();
    transcript.user('First');
    const answer = transcript.text('One');
    transcript.user('Wrong way');
    transcript.text('Two');
    transcript.user('Right way', { parentUuid: answer });
    transcript.text('Three');
    write(transcript);
    await bench.import();
    const entries = await bench.entries(claudeId);
    assert.deepEqual(
      reduceTimeline(entries, { isLive: false }).turns.map(({ user }) => user?.text),
      ['First', 'Right way'],
    );
    assert.ok(entries.some(({ content }) => content === 'Wrong way'));
  });

  it('that were compacted keep what the summary stands for', async () => {
    const transcript = new ClaudeTranscript();
    transcript.user('First');
    transcript.text('One');
    transcript.line('system', { subtype: 'compact_boundary', content: 'Conversation compacted' });
    transcript.user('This session is being continued. Summary: …', { isCompactSummary: true });
    write(transcript);
    await bench.import();
    const marker = (await bench.entries(claudeId)).at(-1);
    assert.ok(marker?.type === 'compact_marker');
    assert.deepEqual([marker.data.throughSeq, marker.data.compactedCount, marker.seq], [2, 2, 3]);
  });

  it('tell of refusals, failures, interruptions and errors as they were', async () => {
    const transcript = new ClaudeTranscript();
    transcript.user('Go');
    transcript.call('a', 'Bash', { command: 'rm -r build\necho' });
    transcript.user([
      { type: 'tool_result', tool_use_id: 'a', is_error: true, content: "The user doesn't want to proceed with this tool use." },
    ]);
    transcript.call('b', 'Bash', { command: 'false' });
    transcript.user([{ type: 'tool_result', tool_use_id: 'b', is_error: true, content: 'exit 1' }]);
    transcript.user([{ type: 'text', text: '[Request interrupted by user]' }]);
    transcript.user([
      { type: 'text', text: 'See' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ]);
    transcript.line('assistant', {
      isApiErrorMessage: true,
      message: { model: '<synthetic>', content: [{ type: 'text', text: 'Overloaded' }] },
    });
    write(transcript);
    assert.deepEqual((await bench.import()).issues, []);
    const entries = await bench.entries(claudeId);
    assert.deepEqual(
      entries.map((entry) => [
        entry.type,
        'status' in entry.data ? entry.data.status : 'label' in entry.data ? entry.data.label : entry.content,
      ]),
      [
        ['user_input', 'Go'],
        ['tool_call', 'rm -r build'],
        ['tool_result', 'denied'],
        ['tool_call', 'false'],
        ['tool_result', 'error'],
        ['run_end', ''],
        ['user_input', 'See\n\n[image/png]'],
        ['error', 'Overloaded'],
      ],
    );
  });

  it('leave out what other agents did, and say how much', async () => {
    const transcript = new ClaudeTranscript();
    transcript.user('Go');
    transcript.user('Explore', { isSidechain: true });
    transcript.user('Caveat', { isMeta: true });
    write(transcript);
    const report = await bench.import();
    assert.deepEqual(
      report.leftOut.map(({ kind, count }) => [kind, count]),
      [
        ['subagent', 1],
        ['meta', 1],
      ],
    );
    assert.deepEqual(await forms(), [['user_input', 'Go']]);
  });

  it('grow with their source, and are never told twice', async () => {
    const transcript = new ClaudeTranscript();
    transcript.user('First');
    transcript.text('One');
    write(transcript);
    await bench.import();
    const before = bench.dump();
    assert.equal((await bench.import()).sessions[0]?.outcome, 'unchanged');
    assert.deepEqual(bench.dump(), before);
    transcript.user('Second');
    transcript.text('Two');
    write(transcript);
    const [session] = (await bench.import()).sessions;
    assert.deepEqual([session?.outcome, session?.added], ['extended', 3]);
    assert.deepEqual(await forms(), [
      ['user_input', 'First'],
      ['assistant_output', 'One'],
      ['run_end', ''],
      ['user_input', 'Second'],
      ['assistant_output', 'Two'],
      ['run_end', ''],
    ]);
    assert.equal((await bench.import()).sessions[0]?.outcome, 'unchanged');
  });

  it('that are continued here are left as they are', async () => {
    const transcript = new ClaudeTranscript();
    transcript.user('First');
    write(transcript);
    await bench.import();
    const { log } = await bench.database();
    await log.append(claudeId, { type: 'user_input', content: 'Mine', data: { mode: 'ask', attachments: [] } });
    assert.equal((await bench.import()).sessions[0]?.outcome, 'unchanged');
    transcript.text('Theirs');
    write(transcript);
    assert.equal((await bench.import()).sessions[0]?.outcome, 'continued');
    assert.deepEqual(await forms(), [
      ['user_input', 'First'],
      ['user_input', 'Mine'],
    ]);
  });

  it('whose beginning has changed are left as they are', async () => {
    write(jsonLines(...new ClaudeLines('One', 'Two').lines));
    await bench.import();
    const before = bench.dump();
    write(jsonLines(...new ClaudeLines('One', 'Two', 'Three').lines.slice(1)));
    assert.equal((await bench.import()).sessions[0]?.outcome, 'differs');
    assert.deepEqual(bench.dump(), before);
  });

  it('never touch a session of this product that has their name', async () => {
    const { sessions } = await bench.database();
    await sessions.begin(claudeId, { mode: 'ask', model: null, title: 'Mine', projectPath: null }, [
      { type: 'user_input', content: 'Mine', data: { mode: 'ask', attachments: [] } },
    ]);
    const before = bench.dump();
    write(jsonLines(...new ClaudeLines('Theirs').lines));
    assert.equal((await bench.import()).sessions[0]?.outcome, 'ours');
    assert.deepEqual(bench.dump(), before);
  });

  it('that share lines with another session keep theirs, however often they are imported', async () => {
    const other = '0b5ac9d2-7d1e-4f0a-9a53-0f6d1e6a2c22';
    const lines = new ClaudeLines('Shared', 'Then').lines;
    write(jsonLines(...lines));
    write(jsonLines(...lines), other);
    for (const outcome of ['imported', 'unchanged', 'unchanged']) {
      assert.deepEqual(
        (await bench.import()).sessions.map((session) => session.outcome),
        [outcome, outcome],
      );
    }
    assert.deepEqual(await forms(other), await forms());
    // After the first session is deleted, the second still has its own entries.
    await (await bench.database()).sessions.delete(claudeId);
    write('', claudeId);
    assert.equal((await bench.import()).sessions.find(({ id }) => id === other)?.outcome, 'unchanged');
  });
});

class ClaudeLines extends ClaudeTranscript {
  constructor(...texts: string[]) {
    super();
    for (const text of texts) this.user(text);
  }
}
