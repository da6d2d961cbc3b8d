import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { SessionImporter } from '../../../src/services/import/sessionImporter';
import { silentLogger } from '../../../src/utils/logger';
import { claudeId, ClaudeTranscript, ImportBench, importWorkerPath, jsonLines, seeded, wasmPath } from './support/importBench';

describe('An import', () => {
  let bench: ImportBench;
  beforeEach(async () => {
    bench = await ImportBench.create();
  });
  afterEach(() => bench.clean());

  const idOf = (number: number): string => claudeId.replace(/..$/, String(10 + number));
  const writeMany = (count: number, lines: number): void => {
    for (let number = 0; number < count; number += 1) {
      const transcript = new ClaudeTranscript(idOf(number));
      for (let line = 0; line < lines; line += 1) transcript.user(`Message ${line}`);
      bench.write(`${idOf(number)}.jsonl`, transcript.toString());
    }
  };

  it('finds sessions in folders below, and says which files are none', async () => {
    writeMany(1, 1);
    bench.write('deep/er/code/session.json', JSON.stringify({ id: 'code', projectPath: '/work' }));
    bench.write(
      'deep/er/code/transcript.jsonl',
      jsonLines({ id: 'e1', type: 'user_input', content: 'Hi', timestamp: 1735732800000 }),
    );
    bench.write('deep/session.json', '{"tabs":[]}');
    const other = bench.write('deep/data.jsonl', jsonLines({ a: 1 }));
    bench.write('deep/readme.md', '# Hi');
    bench.write('deep/node_modules/x.jsonl', jsonLines({ a: 1 }));
    symlinkSync(bench.source, path.join(bench.source, 'deep/loop'));
    const report = await bench.import();
    assert.deepEqual(
      report.sessions.map(({ id, outcome }) => [id, outcome]),
      [
        [idOf(0), 'imported'],
        ['code', 'imported'],
      ],
    );
    assert.deepEqual(report.unknownFiles, [other]);
    const depths = Array.from({ length: 17 }, (_, index) => `d${index}`).join('/');
    bench.write(`${depths}/inside/data.jsonl`, jsonLines({ a: 1 }));
    assert.deepEqual(
      (await bench.import()).issues.map(({ file, reason }) => [path.relative(bench.source, file), reason]),
      [[path.normalize(depths), 'tooDeep']],
    );
    assert.deepEqual((await bench.import({ paths: [path.join(bench.source, 'gone')] })).issues[0]?.reason, 'unreadable');
  });

  it('that is cancelled leaves whole sessions and nothing half', async () => {
    writeMany(6, 40);
    let asked = 0;
    const limits = [1, 50, 100, 130, 200];
    for (const limit of limits) {
      asked = 0;
      const report = await bench.import({ isCancelled: () => (asked += 1) > limit });
      assert.equal(report.isCancelled, true);
      const { sessions } = await (await bench.database()).sessions.list({ offset: 0, limit: 10 });
      for (const { id } of sessions) assert.equal((await bench.entries(id)).length, 40);
    }
    const before = await (await bench.database()).sessions.list({ offset: 0, limit: 10 });
    assert.ok(before.sessions.length > 0 && before.sessions.length < 6);
    const report = await bench.import();
    assert.equal(report.sessions.filter(({ outcome }) => outcome === 'imported').length, 6 - before.sessions.length);
    assert.equal(report.sessions.filter(({ outcome }) => outcome === 'unchanged').length, before.sessions.length);
  });

  it('goes on after a session that cannot be read', async () => {
    writeMany(3, 2);
    let asked = 0;
    const report = await bench.import({
      isCancelled: () => {
        asked += 1;
        // The first call is for the folder, the second for the first session. The second session is deleted before it is read.
        if (asked === 2) rmSync(path.join(bench.source, `${idOf(1)}.jsonl`));
        return false;
      },
    });
    assert.deepEqual(
      report.sessions.map(({ outcome }) => outcome),
      ['imported', 'failed', 'imported'],
    );
    assert.equal(report.issues[0]?.reason, 'unreadable');
    assert.equal(report.failure, null);
  });

  it('takes whatever people and models write, in any script, and what no program should', async () => {
    const texts = [
      '日本語 🎉',
      'a\u0000b',
      '\ud800 lone',
      '\u202eright',
      'e\u0301',
      '<script>alert(1)</script>',
      "'; DROP TABLE sessions; --",
    ];
    const transcript = new ClaudeTranscript();
    for (const text of texts) transcript.user(text);
    transcript.user('Named', { uuid: '../../etc/passwd' });
    transcript.user('Proto', { ['__proto__']: { polluted: true } });
    const crlf = transcript.toString().replaceAll('\n', '\r\n');
    const deep = `{"type":"user","message":{"content":[{"type":"tool_use","input":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}}`;
    bench.write(
      `${claudeId}.jsonl`,
      Buffer.concat([
        Buffer.from(`\ufeff${crlf}${deep}\n`),
        Buffer.from([0xff, 0xfe, 0x0a]),
        Buffer.alloc(20),
        Buffer.from('{}'),
      ]),
    );
    const report = await bench.import();
    assert.deepEqual(
      (await bench.entries(claudeId)).map(({ content }) => content),
      [
        '日本語 🎉',
        'a\u2400b',
        '\ufffd lone',
        '\u202eright',
        'e\u0301',
        '<script>alert(1)</script>',
        "'; DROP TABLE sessions; --",
        'Named',
        'Proto',
      ],
    );
    assert.ok((await bench.entries(claudeId)).every(({ id }) => /^[\w-]+$/.test(id)));
    assert.deepEqual(
      report.issues.map(({ lines, reason }) => [lines?.[0], reason]),
      [
        [10, 'unknownPart'],
        [11, 'notUtf8'],
        [12, 'unknownForm'],
      ],
    );
    assert.equal('polluted' in {}, false);
  });

  it('counts lines that have no room in the report', async () => {
    const lines: string[] = [];
    for (let line = 0; line < 30_000; line += 1) lines.push('{', '\n', JSON.stringify({ type: 'user' }), '\n');
    bench.write(`${claudeId}.jsonl`, lines.join(''));
    const report = await bench.import();
    assert.deepEqual([report.issueCount, report.issues.length, report.unlisted], [60_000, 20_000, 40_000]);
  });

  it('of anything, done twice, is the same as done once', async function () {
    const random = seeded(20_250_101);
    const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
    for (let round = 0; round < 25; round += 1) {
      const transcript = new ClaudeTranscript();
      const uuids: (string | null)[] = [null];
      for (let line = 0; line < random(30); line += 1) {
        const more = random(4) === 0 ? { parentUuid: pick(uuids) } : random(6) === 0 ? { uuid: pick(uuids) ?? 'x' } : {};
        const kinds = [
          () => transcript.user(`Message ${line}`, more),
          () => transcript.text(`Answer ${line}`),
          () => transcript.call(`call${random(4)}`, 'Read', { path: 'a' }),
          () => transcript.result(`call${random(4)}`, 'ok', more),
          () => transcript.line(pick(['system', 'nothing', 'summary']), more),
        ];
        uuids.push(pick(kinds)());
      }
      const text = transcript.toString();
      const cut = random(text.length + 1);
      const broken =
        random(2) === 0 ? text : `${text.slice(0, cut)}${pick(['', '\n', '}{', '\u0000'])}${text.slice(cut + random(40))}`;
      bench.write(`${idOf(round)}.jsonl`, broken);
    }
    const first = await bench.import();
    const once = bench.dump();
    const second = await bench.import();
    assert.deepEqual(bench.dump(), once);
    assert.deepEqual(
      second.sessions.map(({ id, added }) => [id, added]),
      first.sessions.map(({ id }) => [id, 0]),
    );
    assert.deepEqual(second.issues, first.issues);
  });

  it('runs in a worker, tells how far it is, and can be cancelled there', async () => {
    writeMany(3, 20);
    let imported = 0;
    const importer = new SessionImporter({
      file: bench.file,
      workerPath: importWorkerPath,
      wasmPath,
      logger: silentLogger,
      onImported: () => (imported += 1),
      onDamage: () => undefined,
    });
    const fractions: number[] = [];
    const signal = new AbortController().signal;
    const report = await importer.import([bench.source], ({ fraction }) => fractions.push(fraction), signal);
    assert.deepEqual([report.sessions.length, imported, fractions[0], fractions.at(-1)], [3, 1, 0, 1]);
    const cancelled = await importer.import([bench.source], () => undefined, AbortSignal.abort());
    assert.equal(cancelled.isCancelled, true);
    assert.equal(imported, 2);
    await importer.dispose();
    await assert.rejects(
      importer.import([bench.source], () => undefined, signal),
      { code: 'closed' },
    );
  });
});
