import assert from 'node:assert/strict';
import { differsInCase } from '../../../src/services/review/pendingFiles';
import { matchesName, patternsNaming } from '../../../src/utils/files/namePatterns';
import { globMatcher } from '../../../src/utils/text/globs';

const decomposed = 'docs/U\u0308bersicht.md';
const composed = decomposed.normalize('NFC');

describe('Names that a Mac composes or decomposes', () => {
  it('match a typed query in both forms and in any case', () => {
    for (const query of ['\u00fcber', 'U\u0308BER', 'sicht', 'bers']) {
      const patterns = patternsNaming(query).map((pattern) => globMatcher(pattern));
      for (const name of [decomposed, composed]) {
        assert.ok(
          patterns.some((matches) => matches(name)),
          query,
        );
        assert.ok(matchesName(name, query), query);
      }
    }
    assert.ok(!matchesName(decomposed, '\u00f6ber'));
  });

  it('leave the globs of ASCII queries as they are, with their folders', () => {
    assert.deepEqual(patternsNaming('a1/[b'), ['**/*[aA]1/[bB]*', '**/*[aA]1/[bB]*/**']);
  });

  it('match globs in both forms', () => {
    for (const pattern of ['**/\u00dcber*', 'U\u0308bersicht.md'])
      for (const name of [decomposed, composed]) assert.ok(globMatcher(pattern)(name), pattern);
  });

  it('are one name for a review', () => {
    assert.equal(differsInCase(decomposed, composed), true);
    assert.equal(differsInCase(composed, composed), false);
  });
});
