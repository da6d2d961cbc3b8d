import assert from 'node:assert/strict';
import { newestVersion } from '../../../src/services/database/sqlite/schemaVersion';
import { systemClock, type Clock } from '../../../src/utils/clock';
import { exitOf, nextMessage, startChild } from './processes/child';
import { fileOf, newSession, userInput, withRaw, Workbench } from './support/stores';
import { until } from '../../support/until';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('two windows on one database', () => {
  it('write one session without losing, doubling or reordering anything', async () => {
    const directory = bench.folder();
    const { sessions, log } = await bench.service(directory);
    const { id } = await sessions.create(newSession());
    const names = ['a', 'b'];
    const children = names.map((name) => startChild('writer', directory, id, name, '150'));
    await Promise.all(children.map(nextMessage));
    for (const child of children) child.send('go');
    assert.deepEqual(await Promise.all(children.map(exitOf)), [0, 0]);

    const { entries, revision } = await log.read(id, 0);
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      Array.from({ length: 302 }, (_, index) => index + 1),
    );
    for (const [index, entry] of entries.entries()) {
      if (index > 0) assert.ok(entry.timestamp > (entries[index - 1]?.timestamp ?? Infinity), `timestamp of seq ${entry.seq}`);
    }
    assert.equal(Math.max(...entries.map((entry) => entry.revision)), revision);
    assert.equal(new Set(entries.map((entry) => entry.revision)).size, entries.length);
    for (const name of names) {
      const words = Array.from({ length: 150 }, (_, index) => `${name}${index}`);
      const own = entries.filter(({ type, content }) => type === 'user_input' && content.startsWith(name));
      assert.deepEqual(
        own.map(({ content }) => content),
        words,
      );
      const streamed = entries.find(({ type, content }) => type === 'assistant_output' && content.startsWith(name));
      assert.deepEqual([streamed?.content, streamed?.isOpen], [words.map((word) => `${word} `).join(''), false]);
    }
  });

  it('start at once on an empty folder and migrate once', async () => {
    const directory = bench.folder();
    const children = Array.from({ length: 4 }, () => startChild('opener', directory));
    await Promise.all(children.map(nextMessage));
    for (const child of children) child.send('go');
    assert.deepEqual(await Promise.all(children.map(exitOf)), [0, 0, 0, 0]);
    const { sessions } = await bench.service(directory);
    assert.deepEqual(
      new Set((await sessions.list({ offset: 0, limit: 10 })).sessions.map(({ title }) => title)),
      new Set(children.map(({ pid }) => String(pid))),
    );
    assert.equal(
      withRaw(directory, (database) => database.prepare('PRAGMA user_version').get()?.user_version),
      newestVersion,
    );
  });

  it('do not hold up the event loop while the other one keeps the lock, and then go on in order', async () => {
    const directory = bench.folder();
    let pauses = 0;
    const clock: Clock = {
      now: () => systemClock.now(),
      sleep: (ms, signal) => {
        pauses += 1;
        return systemClock.sleep(ms, signal);
      },
    };
    const { sessions, log } = await bench.service(directory, { clock });
    const { id } = await sessions.create(newSession());
    const child = startChild('locker', fileOf(directory));
    await nextMessage(child);

    let ticks = 0;
    const ticker = setInterval(() => (ticks += 1), 1);
    const ticksBefore = ticks;
    pauses = 0;
    let isPending = true;
    const appended = Promise.all(['one', 'two'].map((text) => log.append(id, userInput(text)))).finally(
      () => (isPending = false),
    );
    await until(() => pauses >= 8);
    assert.equal(isPending, true);
    assert.ok(ticks - ticksBefore >= pauses, `${ticks - ticksBefore} ticks in ${pauses} pauses`);
    assert.deepEqual(await log.read(id, 0), { entries: [], revision: 0 });
    child.send('let go');
    const entries = await appended;
    clearInterval(ticker);
    assert.deepEqual(
      entries.map(({ seq, content }) => [seq, content]),
      [
        [1, 'one'],
        [2, 'two'],
      ],
    );
    await exitOf(child);
  });
});
