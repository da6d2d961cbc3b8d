import assert from 'node:assert/strict';
import { EngineClient } from '../../../src/services/checkpoint/host/engineClient';
import { silentLogger } from '../../../src/utils/logger';
import { exitOf, nextMessage, startChild } from './processes/child';
import { checkpointWorkerPath, newSession, withRaw, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

const rounds = 20;
/** Number of rounds after which the windows wait for the collector, so that older contents can be collected. */
const roundsAtATime = 5;

interface Collected {
  answered: unknown;
  objects: number;
  bytes: number;
}

describe('two windows on one storage', () => {
  it('append, search, stream, take and remove checkpoints at once, while garbage is collected: nothing is lost, nobody is turned away', async () => {
    const directory = bench.folder();
    const workspace = bench.folder();
    const database = await bench.service(directory);
    const { id: shared } = await database.sessions.create(newSession('shared'));
    const names = ['alpha', 'beta'];
    const children = names.map((name) =>
      startChild('window', directory, workspace, shared, name, String(rounds), String(roundsAtATime)),
    );
    const collector = startChild('collector', directory);
    await Promise.all([...children, collector].map(nextMessage));
    for (const child of [...children, collector]) bench.add({ dispose: () => void child.kill() });
    const collectedSince = (message: string): Promise<Collected> =>
      new Promise((resolve, reject) => {
        const listen = (told: unknown): void => {
          if ((told as Collected).answered !== message) return;
          collector.off('message', listen);
          resolve(told as Collected);
        };
        collector.on('message', listen);
        collector.once('exit', (code) => reject(new Error(`The collector ended with ${String(code)}`)));
        collector.send(message);
      });
    collector.send('go');
    for (let round = 0; round < rounds; round += roundsAtATime) {
      const pauses = children.map(nextMessage);
      for (const child of children) child.send('go');
      await Promise.all(pauses);
      await collectedSince(`after round ${round}`);
    }
    const reports = children.map(nextMessage);
    for (const child of children) child.send('go');
    const told = (await Promise.all(reports)) as { own: string; kept: string; content: string }[];
    const { objects, bytes } = await collectedSince('stop');
    // If a call in a child is rejected, for example with `SQLITE_BUSY`, the child exits with another code.
    assert.deepEqual(await Promise.all([...children, collector].map(exitOf)), [0, 0, 0]);
    // Recurring contents and their packs were collected between their uses.
    assert.ok(objects > rounds / 2, `${objects} contents collected`);
    assert.ok(bytes > 0, 'packs collected');

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
    for (const [index, { own }] of told.entries()) {
      const mine = await database.log.read(own, 0);
      assert.equal(
        mine.entries.filter(({ type, isOpen }) => type === 'assistant_output' && !isOpen).length,
        rounds,
        names[index],
      );
    }
    assert.equal((await database.search({ query: 'note', offset: 0, limit: 5 })).found.length, 1);
    assert.equal(
      (await database.searchEntries({ query: 'note', sessionId: shared, offset: 0, limit: 200 })).found.length,
      2 * rounds,
    );

    const engine = new EngineClient({
      directory,
      owner: 'afterwards',
      logger: silentLogger,
      workerPath: checkpointWorkerPath,
      onDamage: (failure) => assert.fail(failure),
    });
    bench.add(engine);
    assert.deepEqual((await engine.care.verify()).problems, []);
    for (const [index, { own, kept, content }] of told.entries()) {
      const infos = await engine.checkpoints.list(own);
      assert.deepEqual(
        infos.map(({ id, kind, state }) => [kind, state, id === kept]),
        [
          ['initial', 'taken', false],
          ['manual', 'taken', true],
        ],
      );
      const stored = await engine.checkpoints.fileAt(kept, workspace, `${names[index]}/file`);
      assert.equal(Buffer.from(stored ?? []).toString('base64'), content);
    }
    const answer = withRaw(directory, (raw) => raw.prepare('PRAGMA integrity_check').get());
    assert.equal(answer?.['integrity_check'], 'ok');
  });
});
