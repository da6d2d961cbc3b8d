import assert from 'node:assert/strict';
import type { LogEvent } from '../../../src/protocol/webviewEvents';
import { SessionRepository } from '../../../src/services/database/sessions/sessionRepository';
import { silentLogger } from '../../../src/utils/logger';
import { ManualClock } from './support/manualClock';
import { newSession, recordEvents, recordingLogger, withRaw, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

const answer = { type: 'assistant_output' as const, data: {} };

describe('OpenEntry', () => {
  it('announces words at once, collects those that follow for 30 ms, and stores them within half a second', async () => {
    const { clock, log, id, events, stored } = await opened();
    const open = await log.open(id, answer);
    events.length = 0;
    open.write('one ');
    open.write('two ');
    open.write('three ');
    assert.deepEqual(brief(events), [[0, 'one ', undefined]]);
    await clock.advance(30);
    assert.deepEqual(brief(events.splice(0)), [
      [0, 'one ', undefined],
      [4, 'two three ', undefined],
    ]);
    assert.equal(stored(), '');
    await clock.advance(470);
    assert.deepEqual([brief(events.splice(0)), stored()], [[[14, '', 2]], 'one two three ']);

    open.write('four');
    await clock.advance(500);
    assert.deepEqual(brief(events.splice(0)), [
      [14, 'four', undefined],
      [18, '', 3],
    ]);
    open.write('!');
    const closed = await open.close({ end: 'complete' });
    assert.deepEqual(brief(events), [
      [18, '!', undefined],
      ['one two three four!', { end: 'complete' }, 4],
    ]);
    assert.deepEqual(
      [closed.content, closed.isOpen, closed.revision, stored()],
      ['one two three four!', false, 4, 'one two three four!'],
    );
    assert.deepEqual(await log.read(id, 0), { entries: [closed], revision: 4 });
  });

  it('does not advance the revision while nothing is written', async () => {
    const { clock, log, id, events } = await opened();
    await log.open(id, answer);
    await clock.advance(60_000);
    assert.equal(events.length, 1);
  });

  it('gives a reader what is still pending', async () => {
    const { log, id } = await opened();
    const open = await log.open(id, answer);
    open.write('pending');
    const { entries, revision } = await log.read(id, 0);
    assert.deepEqual([entries[0]?.content, entries[0]?.isOpen, revision], ['pending', true, 2]);
  });

  it('counts offsets in UTF-16 code units and never parts a surrogate pair', async () => {
    const { clock, log, id, events, stored } = await opened();
    const open = await log.open(id, answer);
    events.length = 0;
    open.write('ä\ud83d');
    await clock.advance(600);
    open.write('\ude00!');
    await clock.advance(600);
    open.write('\ud83d');
    await open.close({ end: 'incomplete' });
    assert.deepEqual(brief(events), [
      [0, 'ä', undefined],
      [1, '', 2],
      [1, '😀!', undefined],
      [4, '', 3],
      ['ä😀!\ufffd', { end: 'incomplete' }, 4],
    ]);
    assert.equal(stored(), 'ä😀!\ufffd');
  });

  it('keeps what it cannot store, says so once, and stores it when it can', async () => {
    const { clock, log, id, stored, connection, lines } = await opened();
    const open = await log.open(id, answer);
    const long = 'x'.repeat(100_000);
    await limitPages(connection, 'now');
    open.write(long);
    await clock.advance(1_600);
    assert.deepEqual([stored(), lines.filter((line) => line.startsWith('error')).length], ['', 1]);
    assert.equal((await log.read(id, 0)).entries[0]?.content, long);
    await limitPages(connection, 'off');
    await clock.advance(500);
    assert.equal(stored(), long);
    await open.close({ end: 'complete' });
  });

  it('fails to close when the disk is full, and closes with everything once there is room', async () => {
    const { log, id, stored, connection } = await opened();
    const open = await log.open(id, answer);
    const long = 'x'.repeat(100_000);
    await limitPages(connection, 'now');
    open.write(long);
    await assert.rejects(open.close({ end: 'complete' }), { name: 'StorageError', code: 'full' });
    await limitPages(connection, 'off');
    open.write('end');
    const closed = await open.close({ end: 'complete' });
    assert.deepEqual([closed.content, stored()], [`${long}end`, `${long}end`]);
  });

  it('does not double text whose commit was reported as failed but was not', async () => {
    const { clock, log, id, stored, directory } = await opened();
    const open = await log.open(id, answer);
    open.write('once');
    withRaw(directory, (database) => {
      database.exec("UPDATE sessions SET revision = 2; UPDATE messages SET content = content || 'once', revision = 2");
    });
    await clock.advance(500);
    open.write(' more');
    const closed = await open.close({ end: 'complete' });
    assert.deepEqual([closed.content, stored()], ['once more', 'once more']);
  });

  it('no longer grows an entry that another window has closed', async () => {
    const { clock, log, id, stored, directory } = await opened();
    const open = await log.open(id, answer);
    open.write('first');
    await clock.advance(500);
    withRaw(directory, (database) => database.exec('UPDATE messages SET is_open = 0'));
    open.write(' late');
    await clock.advance(500);
    await assert.rejects(open.close({ end: 'complete' }), { code: 'takenOver' });
    assert.equal(stored(), 'first');
  });

  it('stores what is pending when the log is disposed', async () => {
    const { log, id, stored } = await opened();
    const open = await log.open(id, answer);
    open.write('last words');
    await log.dispose();
    assert.equal(stored(), 'last words');
    assert.throws(() => open.write('more'), { code: 'closed' });
  });

  async function opened() {
    const directory = bench.folder();
    const clock = new ManualClock();
    const { logger, lines } = recordingLogger();
    const { connection, log } = await bench.parts(directory, { clock, logger });
    const ports = {
      closeAbandoned: () => () => {},
      appendWithin: () => ({ announce: () => {} }),
      deleteSession: async () => false,
    };
    const sessions = new SessionRepository(connection, ports, 'window', clock, silentLogger);
    const { id } = await sessions.create(newSession());
    const events = recordEvents(log);
    const stored = () => withRaw(directory, (database) => database.prepare('SELECT content FROM messages').get()?.content);
    return { directory, clock, connection, log, id, events, stored, lines };
  }

  async function limitPages(
    connection: { read: <T>(work: () => T) => Promise<T>; statement: (sql: string) => { get(): unknown } },
    limit: 'now' | 'off',
  ) {
    // If the limit is below the current size, SQLite raises it to that size.
    await connection.read(() => connection.statement(`PRAGMA max_page_count = ${limit === 'now' ? 1 : 1_000_000}`).get());
  }

  function brief(events: LogEvent[]): unknown[] {
    return events.map((event) =>
      event.kind === 'delta'
        ? [event.offset, event.text, event.revision]
        : [event.entry.content, event.entry.data, event.entry.revision],
    );
  }
});
