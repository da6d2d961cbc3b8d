import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Entry } from '../../../src/protocol/entries';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { inputOfEntry } from '../../../src/services/import/database/ownLog';
import { openSqlite, type DatabaseSync } from '../../../src/services/database/sqlite/sqlite';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { addEarlier, earlierSchema } from './support/earlierDatabase';
import { databaseWorkerPath, ImportBench } from './support/importBench';

const codeSchema = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, project_path TEXT NOT NULL, status TEXT NOT NULL, created_at TEXT, updated_at TEXT);
  CREATE TABLE transcript_entries (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, content TEXT, timestamp TEXT, tool_call_data TEXT,
    file_edit_data TEXT, compact_data TEXT, restore_point_id TEXT, plan_item_id TEXT, is_compacted INTEGER, seq INTEGER);
  CREATE VIRTUAL TABLE transcript_fts USING fts5 (content, content = transcript_entries, content_rowid = rowid);
  CREATE TRIGGER transcript_fts_insert AFTER INSERT ON transcript_entries BEGIN
    INSERT INTO transcript_fts (rowid, content) VALUES (NEW.rowid, NEW.content);
  END;`;

describe('Databases from elsewhere', () => {
  let bench: ImportBench;
  beforeEach(async () => {
    bench = await ImportBench.create();
  });
  afterEach(() => bench.clean());

  function make(name: string, schema: string, fill?: (database: DatabaseSync) => void): string {
    const file = bench.write(name, '');
    const database = openSqlite(file);
    database.exec(schema);
    fill?.(database);
    database.close();
    return file;
  }

  it('name what they have beside the conversation and is not taken', async () => {
    make('old/sessions.sqlite', earlierSchema, (database) => {
      addEarlier(database);
      database.exec(`
        UPDATE sessions SET session_memory = '{"goal":"parse"}', auto_approve_commands = 0, auto_approve_sensitive_edits = 0;
        CREATE TABLE checkpoints (id TEXT, session_id TEXT);
        INSERT INTO checkpoints VALUES ('c1', 's1'), ('c2', 's1'), ('c3', 'gone')`);
    });
    bench.write('code/session.json', '{"id":"c","projectPath":"/p","sessionMemory":{"goal":"x"},"explorerModel":"m"}');
    bench.write('code/transcript.jsonl', '{"id":"1","type":"user_input","content":"Hi"}');
    const { leftOut } = await bench.import();
    assert.deepEqual(
      leftOut.map(({ file, kind, count }) => [path.basename(file), kind, count]),
      [
        ['transcript.jsonl', 'memory', 1],
        ['transcript.jsonl', 'settings', 1],
        ['sessions.sqlite', 'memory', 1],
        ['sessions.sqlite', 'checkpoint', 2],
        ['sessions.sqlite', 'ui', 1],
      ],
    );
  });

  it('of the time with sql.js give their sessions, with calls and results in pairs, and allow nothing', async () => {
    make('old/sessions.sqlite', earlierSchema, addEarlier);
    const report = await bench.import();
    assert.deepEqual(
      report.sessions.map(({ format, id, title, outcome, added }) => ({ format, id, title, outcome, added })),
      [{ format: 'database', id: 's1', title: 'Parser', outcome: 'imported', added: 8 }],
    );
    assert.deepEqual(
      (await bench.entries('s1')).map((entry) => [
        entry.id,
        entry.type,
        'callId' in entry.data ? entry.data.callId : entry.content,
      ]),
      [
        ['m1', 'user_input', 'Look at a.ts'],
        ['m2', 'assistant_output', 'I will'],
        ['m2#call1', 'tool_call', 'm2#call1'],
        ['m3', 'tool_result', 'm2#call1'],
        ['m5#call', 'tool_call', 'm5#call'],
        ['m5', 'tool_result', 'm5#call'],
        ['m6', 'assistant_output', 'It is 1'],
        ['m6#end', 'run_end', ''],
      ],
    );
    assert.deepEqual(
      report.issues.map(({ lines, reason }) => [lines, reason]),
      [[[7, 7], 'unknownForm']],
    );
    assert.deepEqual(
      report.leftOut.map(({ kind, count }) => [kind, count]),
      [
        ['settings', 1],
        ['ui', 1],
      ],
    );
    const record = await (await bench.database()).sessions.get('s1');
    assert.deepEqual(
      [
        record?.auto_approve_commands,
        record?.auto_approve_sensitive_edits,
        record?.allowed_commands,
        record?.model,
        record?.mode,
      ],
      [0, 0, '[]', 'qwen3:8b', 'agent'],
    );
    assert.equal((await bench.import()).sessions[0]?.outcome, 'unchanged');
  });

  it('of code sessions are read in the order of seq, full-text tables or not', async () => {
    make('code.sqlite', codeSchema, (database) => {
      database.exec(
        `INSERT INTO sessions VALUES ('c1', '/projects/app', 'running', '2025-01-01 12:00:00', '2025-01-01 12:00:09')`,
      );
      const insert = database.prepare(
        `INSERT INTO transcript_entries (id, session_id, type, content, timestamp, tool_call_data, is_compacted, seq) VALUES (?, 'c1', ?, ?, ?, ?, 1, ?)`,
      );
      insert.run('t2', 'assistant_output', 'Two', '2025-01-01 12:00:02', null, 3);
      insert.run('t1', 'user_input', 'One', '2025-01-01 12:00:01', null, 1);
      insert.run('t3', 'tool_call', '', '2025-01-01 12:00:01', '{"name":"Read","input":{},"output":"x","status":"success"}', 2);
    });
    const report = await bench.import();
    assert.deepEqual(report.issues, []);
    assert.deepEqual(
      report.leftOut.map(({ kind, count }) => [kind, count]),
      [['compacted', 3]],
    );
    assert.deepEqual(
      (await bench.entries('c1')).map(({ id }) => id),
      ['t1', 't3', 't3#result', 't2', 't2#end'],
    );
    const record = await (await bench.database()).sessions.get('c1');
    assert.deepEqual([record?.status, record?.created_at], ['generating', Date.UTC(2025, 0, 1, 12)]);
  });

  it('of this product give their log as it is, what is still in the -wal included', async () => {
    const directory = path.join(bench.directory, 'other');
    const around = { directory, owner: 'other', clock: systemClock, logger: silentLogger, workerPath: databaseWorkerPath };
    const other = new DatabaseService(around);
    await other.initialize();
    const { id } = await other.sessions.create({ mode: 'agent', model: 'm', title: 'Mine', projectPath: '/p', is_inline: 1 });
    await other.sessions.update(id, { auto_approve_commands: 1, sandbox: '{"hosts":["example.org"]}' });
    await other.log.append(id, { type: 'user_input', content: 'One', data: { mode: 'agent', attachments: [] } });
    await other.log.append(id, { type: 'assistant_output', content: 'Two', data: { end: 'complete' }, model: 'm' });
    await other.log.append(id, { type: 'rewind', data: { fromSeq: 1 } });
    const broken = await other.log.append(id, { type: 'thinking', content: 'x', data: {} });
    await other.log.append(id, {
      type: 'compact_marker',
      content: 'S',
      data: { compactedCount: 4, throughSeq: 4, summary: 'S' },
    });
    openSqlite(path.join(directory, 'sessions.sqlite')).exec(
      `UPDATE messages SET data = '{', checksum = NULL WHERE id = '${broken.id}'`,
    );
    // A copy that was made while the window was open, as another computer would see it.
    mkdirSync(path.join(bench.source, 'copy'));
    for (const suffix of ['', '-wal'])
      copyFileSync(path.join(directory, `sessions.sqlite${suffix}`), path.join(bench.source, `copy/sessions.sqlite${suffix}`));
    assert.ok(statSync(path.join(bench.source, 'copy/sessions.sqlite-wal')).size > 0);
    const expected = (await other.log.read(id, 0)).entries;
    await other.dispose();
    const before = readFileSync(path.join(bench.source, 'copy/sessions.sqlite-wal'));

    const report = await bench.import();
    assert.deepEqual(
      report.issues.map(({ reason }) => reason),
      ['unknownForm'],
    );
    const entries = await bench.entries(id);
    const shown = (list: readonly Entry[]): unknown =>
      list.map(({ id: name, seq, type, timestamp, data }) => ({ name, seq, type, timestamp, data }));
    const data = { level: 'warning', code: 'imported' } as const;
    assert.deepEqual(
      shown(entries),
      shown(expected.map((entry) => (entry.id === broken.id ? ({ ...entry, data } as Entry) : entry))),
    );
    const record = await (await bench.database()).sessions.get(id);
    assert.deepEqual(
      [record?.title, record?.auto_approve_commands, record?.sandbox, record?.model, record?.is_inline],
      ['Mine', 0, null, 'm', 1],
    );
    assert.deepEqual(
      report.leftOut.map(({ kind }) => kind),
      ['settings'],
    );
    assert.deepEqual(readFileSync(path.join(bench.source, 'copy/sessions.sqlite-wal')), before);
  });

  it('of this product get new numbers where an entry refers to another', () => {
    const text = { content: '', model: null, isOpen: false };
    const around = { id: 'e', sessionId: 's', seq: 9, revision: 1, timestamp: 0, checkpointId: null, planItemId: null, ...text };
    const restore = { targetCheckpointId: 'c', paths: [] };
    const marker = { compactedCount: 1, summary: 'S' };
    const references: Entry[] = [
      { ...around, type: 'rewind', data: { fromSeq: 3 } },
      { ...around, type: 'restore', data: { ...restore, fromSeq: 3 } },
      { ...around, type: 'turns_kept', data: { restoreSeq: 3 } },
      { ...around, type: 'compact_undone', data: { markerSeq: 3 } },
      { ...around, type: 'compact_marker', data: { ...marker, throughSeq: 3, kept: [3, 4] } },
    ];
    assert.deepEqual(
      references.map((entry) => inputOfEntry(entry, (seq) => seq + 20).data),
      [
        { fromSeq: 23 },
        { ...restore, fromSeq: 23 },
        { restoreSeq: 23 },
        { markerSeq: 23 },
        { ...marker, throughSeq: 23, kept: [23, 24] },
      ],
    );
  });

  it('that are torn, foreign or hostile are told of, and nothing of them is stored', async () => {
    make('a/foreign.db', 'CREATE TABLE cookies (name TEXT)');
    make(
      'b/view.db',
      `CREATE TABLE messages (id TEXT, session_id TEXT);
      CREATE VIEW sessions AS WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n;`,
    );
    const torn = make('c/torn.db', earlierSchema, addEarlier);
    writeFileSync(torn, readFileSync(torn).subarray(0, 5000));
    make('d/types.db', earlierSchema, (database) => {
      database.exec(`INSERT INTO sessions (id) VALUES (x'00ff'), (NULL), ('fine');
        INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (x'01', 'fine', 'user', x'ff', 'soon'), (NULL, 'fine', 'user', 'Two', -5)`);
    });
    bench.write('e/empty.db', '');
    const report = await bench.import();
    assert.deepEqual(
      report.issues.filter(({ lines }) => lines === null).map(({ file, reason }) => [path.basename(file), reason]),
      [
        ['foreign.db', 'otherDatabase'],
        ['view.db', 'otherDatabase'],
        ['torn.db', 'damaged'],
      ],
    );
    assert.deepEqual(
      report.sessions.map(({ id, outcome }) => [id, outcome]),
      [['fine', 'imported']],
    );
    assert.deepEqual(
      (await bench.entries('fine')).map(({ content }) => content),
      ['Two', ''],
    );
  });

  it('can be cancelled between sessions, and leave nothing half', async () => {
    make('old.sqlite', earlierSchema, (database) => {
      const session = database.prepare(`INSERT INTO sessions (id, mode, created_at) VALUES (?, 'ask', ?)`);
      const message = database.prepare(
        `INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (?, ?, 'user', 'Hi', ?)`,
      );
      for (let number = 0; number < 5; number += 1) {
        session.run(`s${number}`, 1_700_000_000_000 + number);
        for (let line = 0; line < 20; line += 1) message.run(`s${number}m${line}`, `s${number}`, 1_700_000_000_000 + line);
      }
    });
    let asked = 0;
    const report = await bench.import({ isCancelled: () => (asked += 1) > 50 });
    assert.equal(report.isCancelled, true);
    const { sessions } = await (await bench.database()).sessions.list({ offset: 0, limit: 9 });
    assert.equal(sessions.length, 2);
    for (const { id } of sessions) assert.equal((await bench.entries(id)).length, 20);
  });
});
