import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { lanceModuleIn } from '../../../src/services/codebase/lance/lanceModule';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { earlierSchema } from './support/earlierDatabase';
import { ImportBench } from './support/importBench';

interface Maker {
  connect(folder: string): Promise<{ createTable(name: string, rows: object[]): Promise<unknown>; close(): void }>;
}
const moduleFile = lanceModuleIn(__dirname);

/** Builds a row of the table `messages` in the format of earlier versions. */
const message = (id: string, session_id: string, role: string, content: string, at: number, more: object = {}) => ({
  id,
  session_id,
  role,
  content,
  model: 'qwen3:8b',
  tool_name: '',
  tool_input: '',
  tool_output: '',
  progress_title: '',
  timestamp: 1_700_000_000_000 + at,
  vector: [0.1, 0.2],
  snippet: content,
  ...more,
});

describe('Messages that an earlier version kept in LanceDB', () => {
  let bench: ImportBench;
  beforeEach(async () => (bench = await ImportBench.create()));
  afterEach(() => bench.clean());

  if (moduleFile === null) {
    it('are named where LanceDB is not installed', async () => {
      bench.write('old/ollama-copilot.lance/messages.lance/data/x', '');
      const { issues } = await bench.import();
      assert.deepEqual(
        issues.map(({ file, reason }) => [path.basename(file), reason]),
        [['ollama-copilot.lance', 'noLance']],
      );
    });
    return;
  }

  const make = async (tables: Record<string, object[]>): Promise<string> => {
    const folder = path.join(bench.source, 'old', 'ollama-copilot.lance');
    bench.write('old/note.txt', '');
    const connection = await (createRequire(__filename)(moduleFile) as Maker).connect(folder);
    for (const [name, rows] of Object.entries(tables)) await connection.createTable(name, rows);
    connection.close();
    return folder;
  };
  const outcomes = async () => {
    const { sessions, issues } = await bench.import();
    return {
      sessions: sessions.map(({ id, title, outcome }) => [id, title, outcome]),
      issues: issues.map(({ reason }) => reason),
    };
  };
  const said = [
    message('m2', 's1', 'assistant', 'It is 1', 2),
    message('m1', 's1', 'user', 'Look at a.ts “ünï”', 1),
    message('n1', 's2', 'user', 'Another', 3),
  ];

  it('come with their sessions, in their order; again they add nothing, and the folder stays as it was', async () => {
    const folder = await make({
      messages: said,
      sessions: [
        { id: 's1', title: 'Parser', mode: 'agent', model: 'm', created_at: 1_700_000_000_000, updated_at: 1_700_000_000_009 },
      ],
    });
    const before = readdirSync(folder, { recursive: true }).sort();
    assert.deepEqual(await outcomes(), {
      sessions: [
        ['s2', 'Another', 'imported'],
        ['s1', 'Parser', 'imported'],
      ].sort(),
      issues: [],
    });
    const entries = (await bench.entries('s1')).map(({ type, content }) => [type, content]);
    assert.deepEqual(entries, [
      ['user_input', 'Look at a.ts “ünï”'],
      ['assistant_output', 'It is 1'],
      ['run_end', ''],
    ]);
    assert.deepEqual(
      (await outcomes()).sessions.map(([, , outcome]) => outcome),
      ['unchanged', 'unchanged'],
    );
    assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), before);
  });

  it('are called what the database beside them says, which alone is none that can be imported', async () => {
    await make({ messages: said });
    const database = openSqlite(bench.write('old/sessions.sqlite', ''));
    database.exec(`CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, mode TEXT, created_at INTEGER, updated_at INTEGER);
      INSERT INTO sessions VALUES ('s2', 'From SQLite', 'ask', 1, 2)`);
    database.close();
    const { sessions, issues } = await outcomes();
    assert.deepEqual([sessions.find(([id]) => id === 's2')?.[1], issues], ['From SQLite', []]);
  });

  it('that are in the database beside them too come once', async () => {
    await make({ messages: said.slice(0, 2) });
    const database = openSqlite(bench.write('old/sessions.sqlite', ''));
    database.exec(`${earlierSchema} INSERT INTO sessions (id, title, mode, created_at, updated_at) VALUES ('s1', 'Parser', 'agent', 1, 2);
      INSERT INTO messages (id, session_id, role, content, model, timestamp) VALUES
        ('m1', 's1', 'user', 'Look at a.ts “ünï”', 'qwen3:8b', 1700000000001), ('m2', 's1', 'assistant', 'It is 1', 'qwen3:8b', 1700000000002)`);
    database.close();
    assert.deepEqual((await outcomes()).sessions, [
      ['s1', 'Parser', 'imported'],
      ['s1', 'Parser', 'unchanged'],
    ]);
    assert.equal((await bench.entries('s1')).length, 3);
  });

  it('that are broken are named, and harm nothing else', async () => {
    bench.write('old/ollama-copilot.lance/messages.lance/_versions/1.manifest', 'nonsense');
    bench.write('good.jsonl', '');
    const { sessions, issues } = await outcomes();
    assert.deepEqual(sessions, []);
    assert.ok(issues.includes('unreadable'), issues.join());
  });
});
