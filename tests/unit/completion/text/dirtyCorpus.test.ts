import assert from 'node:assert/strict';
import { cutsOf } from './support/cuts';
import { dirt } from './support/dirt';
import { faultsOf } from './support/faults';
import { problems } from './support/problems';
import { shown } from './support/shown';

const all = problems();
const cuts = all.flatMap(cutsOf);

describe(`Bad answers at ${cuts.length} places of ${all.length} programs`, () => {
  it('a perfect answer comes through unchanged', () => {
    const changed = cuts.filter((cut) => shown(cut, cut.middle) !== cut.middle);
    assert.deepEqual(
      changed.map((cut) => ({
        ...cut,
        prefix: cut.prefix.slice(-80),
        suffix: cut.suffix.slice(0, 80),
        shown: shown(cut, cut.middle),
      })),
      [],
    );
  });

  for (const [name, { spoil, family, becomes }] of Object.entries(dirt)) {
    it(name, () => {
      const wrong = cuts.flatMap((cut) => {
        const raw = spoil(cut);
        if (raw === undefined) return [];
        const text = shown(cut, raw, family);
        const faults = text === undefined ? [] : faultsOf(text, cut);
        if (becomes === 'kept' && text !== cut.middle) faults.push('not the good answer');
        if (becomes === 'nothing' && text !== undefined) faults.push('not nothing');
        return faults.length === 0
          ? []
          : [{ faults, name: cut.name, line: cut.prefix.slice(-60), raw, text, suffix: cut.suffix.slice(0, 60) }];
      });
      assert.deepEqual([wrong.length, wrong.slice(0, 3)], [0, []]);
    });
  }
});
