import assert from 'node:assert/strict';
import type { Cut } from './cuts';
import { dirt } from './dirt';
import { shown } from './shown';

/** Families that do not contain the whole good answer, or whose dirt looks like code. */
const withoutAnswer = new Set([
  'words in place of it',
  'thinking without an end',
  'the next lines in place of it',
  'the line above again',
  'a word over and over',
]);

/**
 * Families in which cleaning may change the answer, because the dirt looks like a part of it. Values are maximum shares of all gaps.
 */
const changing: Readonly<Record<string, number>> = {
  'the end of the text in capitals': 0.02,
  'the next file by its name': 0.01,
  'words before it': 0.03,
  'words after it': 0.01,
  'an explanation after it': 0.01,
  'thinking before it': 0.02,
  'the end of thinking before it': 0.02,
  'the next line again': 0.01,
  'the next three lines again': 0.01,
  'the whole suffix again': 0.01,
  'the rest of the line again': 0.1,
  'tabs for blanks': 0.02,
  'another function': 0.01,
  'the markers of instructions': 0.02,
};

/** Registers the tests of gaps with perfect answers, both clean and spoiled. */
export function testGaps(gaps: readonly Cut[]): void {
  const families = Object.entries(dirt).filter(([name]) => !withoutAnswer.has(name));

  it('shows a clean answer unchanged', () => {
    const changed = gaps.filter((cut) => shown(cut, cut.middle) !== cut.middle);
    assert.deepEqual(
      changed.map(({ name, middle }) => [name, middle]),
      [],
    );
  });

  for (const [name, { spoil, family }] of families) {
    const share = changing[name] ?? 0;
    it(`shows ${share === 0 ? 'each' : `all but ${share * 100} %`} of them unchanged in the dirt “${name}”`, () => {
      let count = 0;
      const changed: unknown[] = [];
      for (const cut of gaps) {
        const raw = spoil(cut);
        if (raw === undefined) continue;
        count += 1;
        const text = shown(cut, raw, family);
        if (text !== cut.middle) changed.push([cut.name, cut.middle, text]);
      }
      if (changed.length > 0) console.log(`      ${changed.length} of ${count} changed by a cut`);
      assert.ok(changed.length <= share * count + (share > 0 ? 1 : 0), JSON.stringify(changed.slice(0, 3), null, 1));
    });
  }
}
