import assert from 'node:assert/strict';
import { EngineClient } from '../../../src/services/checkpoint/engineClient';
import { silentLogger } from '../../../src/utils/logger';
import { exitOf, nextMessage, startChild } from './processes/child';
import { checkpointWorkerPath, newSession, withRaw, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

const rounds = 15;

describe('two windows on one storage', () => {
  it('append, search, stream and take checkpoints at once, while one collects garbage: nothing is lost, nobody is turned away', async () => {
    const directory = bench.folder();
    const workspace = bench.folder();
    const database = await bench.service(directory);
    const { id: shared } = await database.sessions.create(newSession('shared'));
    const names = ['alpha', 'beta'];
    const children = names.map((name, index) =>
      startChild('window', directory, workspace, shared, name, String(rounds), ...(index === 0 ? [] : ['collects'])),
    );
    await Promise.all(children.map(nextMessage));
    const reports = children.map(nextMessage);
    for (const child of children) child.send('go');
    const told = (await Promise.all(reports)) as { own: string; taken: string[] }[];
    // A rejection in a child, `SQLITE_BUSY` for one, ends it with another code.
    assert.deepEqual(await Promise.all(children.map(exitOf)), [0, 0]);

    const { entries } = await database.log.read(shared, 0);
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      Array.from({ length: 2 * rounds }, (_, index) => index + 1),
    );
    for (const name of names) {
      assert.deepEqual(
        entries.filter(({ content }) => content.includes(name)).map(({ content }) => content),
        Array.from({ length: rounds }, (_, index) => `note ${name}${index}`),
      );
    }
    for (const [index, { own, taken }] of told.entries()) {
      const mine = await database.log.read(own, 0);
      assert.equal(
        mine.entries.filter(({ type, isOpen }) => type === 'assistant_output' && !isOpen).length,
        rounds,
        names[index],
      );
      assert.ok(taken.length >= rounds, `${taken.length} checkpoints`);
    }
    assert.equal((await database.search({ query: 'note', offset: 0, limit: 5 })).found.length, 1);
    assert.equal(
      (await database.searchEntries({ query: 'note', sessionId: shared, offset: 0, limit: 200 })).found.length,
      2 * rounds,
    );

    const engine = new EngineClient({
      ...{ directory, owner: 'afterwards', logger: silentLogger, workerPath: checkpointWorkerPath },
      onDamage: (failure) => assert.fail(failure),
    });
    bench.add(engine);
    assert.deepEqual((await engine.call('verify')).problems, []);
    for (const { own, taken } of told) {
      const infos = await engine.call('list', own);
      assert.deepEqual(
        taken.filter((id) => infos.find((info) => info.id === id)?.state !== 'taken'),
        [],
      );
      assert.ok((await engine.call('files', taken.at(-1) ?? '')).length >= 7);
    }
    const answer = withRaw(directory, (raw) => raw.prepare('PRAGMA integrity_check').get());
    assert.equal(answer?.['integrity_check'], 'ok');
  });
});
