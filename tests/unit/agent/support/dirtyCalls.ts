import assert from 'node:assert/strict';
import { dirts } from './callDirt';
import type { CallExample } from './callExamples';
import { fateOf, type Fate } from './repairBench';

const fates: readonly Fate[] = ['read', 'repaired', 'again', 'tooLong', 'lost'];

/** Defines tests that no call is lost if a model makes a mistake in each answer. Prints the fates for each mistake. */
export function testDirt(examples: readonly CallExample[]): void {
  const withCalls = examples.filter(({ calls }) => calls.length > 0);

  describe(`Answers with a mistake, of ${withCalls.length} examples in ${dirts.length} forms`, () => {
    const table: string[] = [];
    for (const dirt of dirts)
      it(`lose no call: ${dirt.name}`, async function () {
        this.timeout(0);
        const counts = Object.fromEntries(fates.map((fate) => [fate, 0]));
        const bad: string[] = [];
        for (const { id, calls } of withCalls) {
          const { fate, details } = await fateOf(calls, dirt);
          counts[fate] = (counts[fate] ?? 0) + 1;
          if (fate === 'lost') bad.push(`${id}\n${details}`);
        }
        table.push(`${dirt.name}: ${fates.map((fate) => `${fate} ${counts[fate]}`).join(', ')}`);
        assert.equal(bad.length, 0, `${bad.length} of ${withCalls.length}:\n${bad.slice(0, 4).join('\n\n')}`);
      });
    after(() => console.log(table.join('\n')));
  });
}
