import assert from 'node:assert/strict';
import { AcceptedText } from '../../../src/completion/statistics/retention';
import { CompletionStatistics } from '../../../src/completion/statistics/completionStatistics';
import { CompletionRepository } from '../../../src/services/database/completions/completionRepository';
import { silentLogger } from '../../../src/utils/logger';
import { ManualClock } from '../database/support/manualClock';
import { Workbench } from '../database/support/stores';
import { CompletionBench, coder } from './support/completionBench';

describe('what is counted of suggestions', () => {
  const files = new Workbench();
  after(() => files.clean());

  it('finds an accepted text again after changes before, in and behind it', () => {
    const accepted = new AcceptedText('a', 'return one + two;', 10);
    accepted.apply({ offset: 0, removed: 0, text: '// first\n' });
    accepted.apply({ offset: 60, removed: 3, text: '' });
    accepted.apply({ offset: 26, removed: 3, text: 'three' });
    assert.equal(accepted.retainedIn('// first\n0123456789return three + two;'), 'return one + two;'.length - 'one'.length);
    accepted.apply({ offset: 19, removed: 19, text: '' });
    assert.equal(accepted.retainedIn('// first\n0123456789'), 0);
  });

  it('looks after 30 seconds and 5 minutes how much is left, and adds all to the day in the database', async () => {
    const service = await files.service(files.folder());
    const { connection } = service as unknown as { connection: ConstructorParameters<typeof CompletionRepository>[0] };
    const repository = new CompletionRepository(connection);
    const clock = new ManualClock(Date.UTC(2026, 10, 23, 12));
    let text: string | undefined = 'x = one + two;';
    const store = { add: (day: string, model: string, counts: object) => repository.addCounts(day, model, { ...counts }) };
    const statistics = new CompletionStatistics(store, () => text, clock, silentLogger);
    statistics.count('m', { shown: 2, requests: 1 });
    statistics.accept('m', 'a', 4, 'one + two;');
    await clock.advance(30_000);
    text = 'x = two;';
    statistics.noteChange('a', { offset: 4, removed: 6, text: '' });
    await clock.advance(270_000);
    await statistics.dispose();
    await statistics.dispose();
    const [day, ...more] = await repository.countsSince('2026-11-01');
    assert.deepEqual(more, []);
    assert.deepEqual([day?.day, day?.model], ['2026-11-23', 'm']);
    const { shown, requests, accepted, acceptedChars, judged30, retained30, judged300, retained300 } = day?.counts ?? {};
    assert.deepEqual([shown, requests, accepted, acceptedChars], [2, 1, 1, 10]);
    assert.deepEqual([judged30, retained30, judged300, retained300], [10, 10, 10, 4]);
    assert.deepEqual(await repository.countsSince('2026-11-24'), []);
    await service.dispose();
  });

  it('counts what is shown once however it is typed along, and questions that need no request', async () => {
    const bench = await CompletionBench.start();
    bench.double.script.push('sole.log(a);');
    for (const typed of ['', 'so', 'le.']) {
      const found = await bench.at(`con${typed ? 'sole.'.slice(0, typed === 'so' ? 2 : 5) : ''}|`).complete();
      if (found) bench.engine.shown(bench.document, found);
    }
    const sum = (name: 'shown' | 'saved' | 'requests' | 'answers') =>
      bench.counts.filter(({ model }) => model === coder.name).reduce((all, counts) => all + (counts[name] ?? 0), 0);
    assert.deepEqual([sum('shown'), sum('requests'), sum('saved'), sum('answers')], [1, 1, 2, 1]);
    await bench.stop();
  });
});
