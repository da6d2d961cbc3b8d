import assert from 'node:assert/strict';
import type { Entry, EntryInput } from '../../../src/protocol/entries';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import type { DatabaseService } from '../../../src/services/database/databaseService';
import type { SessionLog } from '../../../src/services/database/log/sessionLog';
import { newSession, userInput, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

const answer = (content: string): EntryInput => ({ type: 'assistant_output', content, data: { end: 'complete' } });
const rewind = (fromSeq: number): EntryInput => ({ type: 'rewind', data: { fromSeq } });

async function written(...inputs: EntryInput[]): Promise<{ log: SessionLog; id: string }> {
  return writtenIn(await bench.service(bench.folder()), inputs);
}
async function writtenIn({ sessions, log }: DatabaseService, inputs: EntryInput[]): Promise<{ log: SessionLog; id: string }> {
  const { id } = await sessions.create(newSession());
  await Promise.all(inputs.map((input) => log.append(id, input)));
  return { log, id };
}

/** Returns all pages from the last to the first, as when the user scrolls up. */
async function pages(log: SessionLog, id: string, limit: number): Promise<Entry[][]> {
  const read: Entry[][] = [];
  for (let before: number | null = null, hasEarlier = true; hasEarlier;) {
    const page = await log.readPage(id, before, limit);
    read.unshift(page.entries);
    before = page.entries[0]?.seq ?? 1;
    hasEarlier = page.hasEarlier;
    assert.equal(hasEarlier, before > 1);
  }
  return read;
}
const seqs = (read: Entry[][]) => read.map((page) => [page[0]?.seq, page[page.length - 1]?.seq]);

describe('pages of the log', () => {
  it('are whole turns, as many as fit, one at the least', async () => {
    const { log, id } = await written(
      ...[userInput('1'), answer('2'), userInput('3'), answer('4'), answer('5'), answer('6'), answer('7'), userInput('8')],
    );
    assert.deepEqual(seqs(await pages(log, id, 3)), [
      [1, 2],
      [3, 7],
      [8, 8],
    ]);
    assert.deepEqual(seqs(await pages(log, id, 6)), [
      [1, 2],
      [3, 8],
    ]);
    assert.deepEqual(seqs(await pages(log, id, 8)), [[1, 8]]);
    assert.deepEqual(await log.readPage(id, 1, 10), { entries: [], revision: 8, hasEarlier: false });
  });

  it('end early where the texts are large', async () => {
    const large = 'x'.repeat(900_000);
    const inputs = Array.from({ length: 6 }, (_, index) => [userInput(`${index}`), answer(large)]).flat();
    const { log, id } = await written(...inputs);
    assert.deepEqual(seqs([(await log.readPage(id, null, 300)).entries]), [[9, 12]]);
  });

  it('of a session without entries are empty, and without a session there are none', async () => {
    const { log, id } = await written();
    assert.deepEqual(await log.readPage(id, null, 10), { entries: [], revision: 0, hasEarlier: false });
    await assert.rejects(log.readPage('nowhere', null, 10), { code: 'notFound' });
  });

  it('begin at a message that is still in the conversation', async () => {
    const { log, id } = await written(
      ...[userInput('1'), answer('2'), userInput('3'), answer('4'), rewind(2), answer('6'), userInput('7')],
    );
    // The rewind removed entry 3, so entry 6 is the answer to entry 1.
    assert.deepEqual(seqs(await pages(log, id, 2)), [
      [1, 6],
      [7, 7],
    ]);
  });

  it('put together are the whole log, and at each step what the whole conversation ends with', async () => {
    const service = await bench.service(bench.folder());
    for (let seed = 1; seed <= 8; seed += 1) {
      const random = generator(seed);
      const inputs: EntryInput[] = [];
      for (let index = 0; index < 60; index += 1) {
        const dice = random();
        if (dice < 0.4) inputs.push(userInput(`m${index}`));
        else if (dice < 0.9 || index === 0) inputs.push(answer(`a${index}`));
        else inputs.push(rewind(1 + Math.floor(random() * index)));
      }
      const { log, id } = await writtenIn(service, inputs);
      const { entries, revision } = await log.read(id, 0);
      const whole = reduceTimeline(entries, { isLive: false });
      const read = await pages(log, id, 1 + Math.floor(random() * 20));
      assert.deepEqual(read.flat(), entries, `seed ${seed}`);
      assert.equal((await log.readPage(id, null, 5)).revision, revision);
      for (let from = 0; from < read.length; from += 1) {
        const { turns } = reduceTimeline(read.slice(from).flat(), { isLive: false });
        assert.deepEqual(turns, whole.turns.slice(whole.turns.length - turns.length), `seed ${seed} from ${from}`);
      }
    }
  });

  it('hold what is being streamed, as it was announced', async () => {
    const { log, id } = await written(userInput('1'));
    const open = await log.open(id, { type: 'assistant_output', data: {} });
    open.write('so far');
    const page = await log.readPage(id, null, 1);
    assert.deepEqual(
      page.entries.map(({ content, isOpen }) => [content, isOpen]),
      [
        ['1', false],
        ['so far', true],
      ],
    );
    await open.close({ end: 'complete' });
  });
});

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
