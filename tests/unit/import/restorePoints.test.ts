import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CheckpointEngine } from '../../../src/services/checkpoint/engine/checkpointEngine';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import { gitEnvironment } from '../../../src/services/git/repository';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { systemClock } from '../../../src/utils/clock';
import { ImportBench, jsonLines } from './support/importBench';

describe('Restore points of code sessions', () => {
  let bench: ImportBench;
  let work: string;
  const engines: CheckpointEngine[] = [];
  beforeEach(async () => {
    bench = await ImportBench.create();
    work = path.join(bench.directory, 'work');
    mkdirSync(path.join(work, 'src'), { recursive: true });
  });
  afterEach(async () => {
    for (const engine of engines.splice(0)) engine.dispose();
    await bench.clean();
  });

  const at = (second: number): string => new Date(Date.UTC(2025, 0, 1, 12, 0, second)).toISOString();
  const hashOf = (content: string): string => createHash('sha256').update(content).digest('hex');
  const addObject = (content: string, stored = content): string => {
    const hash = hashOf(content);
    bench.write(`snapshots/objects/${hash.slice(0, 2)}/${hash}`, stored);
    return hash;
  };
  const file = (name: string, content: string, hash = addObject(content)) => ({
    path: name,
    hash,
    mode: 0o644,
    size: content.length,
  });
  const addPoint = (id: string, second: number, files: unknown[]): void => {
    const point = { id, sessionId: 's1', description: `Point ${id}`, timestamp: at(second), files, transcriptEntryId: 'e1' };
    bench.write(`snapshots/manifests/${id}.json`, JSON.stringify(point));
  };
  const addSession = (projectPath: string, named: string | undefined = 'rp_1'): void => {
    bench.write('sessions/s1/session.json', JSON.stringify({ id: 's1', projectPath, status: 'stopped', createdAt: at(0) }));
    const entry = (id: string, type: string, restorePointId?: string): unknown => ({
      id,
      type,
      content: id,
      timestamp: at(1),
      restorePointId,
    });
    bench.write(
      'sessions/s1/transcript.jsonl',
      jsonLines(entry('e1', 'user_input', named || undefined), entry('e2', 'assistant_output', 'rp_9')),
    );
  };
  const engine = (): CheckpointEngine => {
    const around = { environment: gitEnvironment(), fileSystem: nodeFileSystem, clock: systemClock, isCancelled: () => false };
    const made = new CheckpointEngine({ directory: bench.storage, owner: 'window', ...around });
    engines.push(made);
    return made;
  };
  const workspace = () => ({ roots: [work], maxFileBytes: 1_000_000, exclude: [] });

  it('become checkpoints whose files can be read, and bring back these files alone', async () => {
    addSession(work);
    addPoint('rp_1', 5, [file('src/a.ts', 'one'), file('src/b.ts', 'same')]);
    addPoint('rp_2', 9, [file('src/a.ts', 'two'), file('src/b.ts', 'same')]);
    const report = await bench.import();
    assert.deepEqual(report.issues, []);
    assert.deepEqual(
      report.leftOut.map(({ kind, count }) => [kind, count]),
      [['restorePoint', 1]],
    );
    const opened = engine();
    const [first, second] = opened.checkpoints.list('s1');
    assert.deepEqual(
      [first, second].map((one) => [one?.kind, one?.title, one?.createdAt, one?.fileCount]),
      [
        ['imported', 'Point rp_1', Date.parse(at(5)), 2],
        ['imported', 'Point rp_2', Date.parse(at(9)), 2],
      ],
    );
    assert.equal((await bench.entries('s1'))[0]?.checkpointId, first?.id);
    assert.equal(Buffer.from(opened.checkpoints.fileAt(first?.id ?? '', work, 'src/a.ts') ?? []).toString(), 'one');
    assert.deepEqual(
      opened.checkpoints.diff(first?.id ?? '', second?.id ?? '').map(({ path: name }) => name),
      ['src/a.ts'],
    );

    writeFileSync(path.join(work, 'src/a.ts'), 'now');
    writeFileSync(path.join(work, 'src/other.ts'), 'other');
    opened.checkpoints.takeNow('s1', 'manual', 'Mine', workspace());
    assert.deepEqual(
      opened.checkpoints.diffNow(first?.id ?? '', workspace()).map(({ path: name, status }) => [name, status]),
      [
        ['src/a.ts', 'modified'],
        ['src/b.ts', 'deleted'],
      ],
    );
    opened.restores.restore('s1', { kind: 'checkpoint', id: first?.id ?? '' }, workspace(), { overwrite: 'all' });
    const left = readdirSync(path.join(work, 'src')).map((name) => [name, readFileSync(path.join(work, 'src', name), 'utf8')]);
    assert.deepEqual(left, [
      ['a.ts', 'one'],
      ['b.ts', 'same'],
      ['other.ts', 'other'],
    ]);
  });

  it('are imported once, and what refers to a content is counted', async () => {
    addSession(work);
    addPoint('rp_1', 5, [file('a.ts', 'one'), file('b.ts', 'one')]);
    await bench.import();
    addPoint('rp_2', 6, [file('a.ts', 'two')]);
    assert.equal((await bench.import()).sessions[0]?.outcome, 'unchanged');
    await bench.import();
    assert.equal(engine().checkpoints.list('s1').length, 2);
    const database = openSqlite(bench.file, { readOnly: true });
    const counts = database.prepare('SELECT hash, ref_count FROM snapshot_objects ORDER BY ref_count').all();
    database.close();
    assert.deepEqual(
      counts.map(({ hash, ref_count: count }) => [hash, count]),
      [
        [hashOf('two'), 1],
        [hashOf('one'), 2],
      ],
    );
    assert.deepEqual(engine().care.verify().problems, []);
  });

  it('with the id of another one are kept, and told of', async () => {
    addSession(work);
    addPoint('rp_1', 5, [file('a.ts', 'one')]);
    const point = { id: 'rp_1', sessionId: 's1', description: 'Other', timestamp: at(6), files: [file('a.ts', 'two')] };
    bench.write('snapshots/manifests/rp_2.json', JSON.stringify(point));
    const { issues } = await bench.import();
    assert.deepEqual(
      issues.map(({ file: name, reason, detail }) => [path.basename(name), reason, detail]),
      [['rp_2.json', 'repeated', 'rp_1']],
    );
    const opened = engine();
    assert.deepEqual(
      opened.checkpoints
        .list('s1')
        .map(({ id, title }) => [title, Buffer.from(opened.checkpoints.fileAt(id, work, 'a.ts') ?? []).toString()]),
      [
        ['Point rp_1', 'one'],
        ['Other', 'two'],
      ],
    );
  });

  it('that lead out of their folder, lack a content or hold another one are told of', async () => {
    addSession(work);
    const disguised = ['GIT~1', '.git.', '.git ', '.g\u200cit', '.GIT::$INDEX_ALLOCATION', '\uff0egit', '.git:x'];
    const names = [
      ...['../out', '/etc/passwd', '.git/hooks/pre-commit', 'a/../../b', 'C:/x', 'a\\b', '', 'a//b', 'nul\0', '.. /b', 'a/.../b'],
      ...disguised.map((folder) => `sub/${folder}/hooks/pre-commit`),
      'long/'.repeat(819) + 'x',
    ];
    const longest = 'long/'.repeat(818) + 'short';
    const gone = file('gone.ts', 'gone', hashOf('never stored'));
    const wrong = file('wrong.ts', 'right', addObject('right', 'wrong'));
    addPoint('rp_1', 5, [
      ...names.map((name) => file(name, 'x')),
      gone,
      wrong,
      file('good.ts', 'good'),
      file(longest, 'x'),
      { path: 'no hash' },
    ]);
    bench.write('snapshots/manifests/torn.json', '{"id":');
    const { issues } = await bench.import();
    assert.deepEqual(
      issues.map(({ reason, detail }) => (reason === 'unreadable' ? [reason] : [reason, detail])),
      [
        ['unreadable'],
        ...names.map((name) => ['unsafeFile', name]),
        ['noContent', 'gone.ts'],
        ['noContent', 'wrong.ts'],
        ['unknownPart', 'no hash'],
      ],
    );
    const opened = engine();
    const [point] = opened.checkpoints.list('s1');
    assert.deepEqual(
      opened.checkpoints.files(point?.id ?? '').map(({ path: name }) => name),
      ['gone.ts', 'good.ts', longest, 'wrong.ts'],
    );
    assert.throws(() => opened.checkpoints.fileAt(point?.id ?? '', work, 'wrong.ts'), { code: 'tooLarge' });
  });

  it('of a session without a folder are left out', async () => {
    addSession('not/absolute');
    addPoint('rp_1', 5, [file('a.ts', 'one')]);
    const report = await bench.import();
    assert.deepEqual(
      report.leftOut.map(({ kind, count }) => [kind, count]),
      [['restorePoint', 2]],
    );
    assert.deepEqual(
      report.issues.map(({ reason }) => reason),
      ['noRoot'],
    );
    assert.deepEqual(engine().checkpoints.list('s1'), []);
  });

  it('of a session that is not there are told of, and one that names its entry belongs to it', async () => {
    addPoint('rp_7', 5, [file('a.ts', 'one')]);
    assert.deepEqual(
      (await bench.import()).issues.map(({ file: where, reason }) => [path.basename(where), reason]),
      [['rp_7.json', 'noSuchSession']],
    );
    addSession(work, '');
    await bench.import();
    assert.deepEqual(
      (await bench.entries('s1')).map(({ checkpointId }) => checkpointId !== null),
      [true, false, false],
    );
  });

  it('of a database are found beside it', async () => {
    const hash = addObject('one');
    const database = openSqlite(bench.write('db/code.sqlite', ''));
    database.exec(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY, project_path TEXT, status TEXT, created_at TEXT, updated_at TEXT);
      CREATE TABLE transcript_entries (id TEXT, session_id TEXT, type TEXT, content TEXT, timestamp TEXT, restore_point_id TEXT, seq INTEGER);
      CREATE TABLE restore_points (id TEXT, session_id TEXT, description TEXT, timestamp TEXT);
      CREATE TABLE restore_point_files (restore_point_id TEXT, path TEXT, object_hash TEXT, mode INTEGER, size INTEGER);
      INSERT INTO sessions VALUES ('s1', '${work}', 'stopped', '2025-01-01 12:00:00', NULL);
      INSERT INTO transcript_entries VALUES ('e1', 's1', 'user_input', 'Hi', '2025-01-01 12:00:01', 'rp_1', 1);
      INSERT INTO restore_points VALUES ('rp_1', 's1', 'First', '2025-01-01 12:00:01');
      INSERT INTO restore_point_files VALUES ('rp_1', 'a.ts', '${hash}', 420, 3);`);
    database.close();
    const report = await bench.import();
    assert.deepEqual([report.issues, report.leftOut], [[], []]);
    const opened = engine();
    const [point] = opened.checkpoints.list('s1');
    assert.equal(Buffer.from(opened.checkpoints.fileAt(point?.id ?? '', work, 'a.ts') ?? []).toString(), 'one');
    assert.equal((await bench.entries('s1'))[0]?.checkpointId, point?.id);
  });
});
