import assert from 'node:assert/strict';
import { PrefixTrie } from '../../../src/completion/flow/prefixTrie';
import { Chance } from '../../support/hostile';

describe('PrefixTrie', () => {
  it('finds the keys that a text begins with, the longest first, as a plain list would', () => {
    const generator = new Chance(7);
    const random = () => generator.next();
    const word = () => Array.from({ length: 1 + Math.floor(random() * 6) }, () => 'ab'[Math.floor(random() * 2)]).join('');
    const trie = new PrefixTrie<number>();
    const list = new Map<string, number>();
    for (let at = 0; at < 300; at += 1) {
      const key = word();
      if (random() < 0.3) {
        trie.delete(key);
        list.delete(key);
      } else {
        trie.set(key, at);
        list.set(key, at);
      }
      const text = word() + word();
      const wanted = [...list]
        .filter(([one]) => text.startsWith(one))
        .sort(([one], [other]) => other.length - one.length)
        .map(([one, value]) => ({ value, rest: text.slice(one.length) }));
      assert.deepEqual(trie.along(text), wanted);
    }
    for (const key of list.keys()) trie.delete(key);
    assert.deepEqual(trie, new PrefixTrie(), 'nothing is kept of deleted keys');
  });

  it('keeps the other keys when it is asked to delete one that it does not have', () => {
    const trie = new PrefixTrie<number>();
    trie.set('abc', 1);
    for (const key of ['', 'ab', 'abx', 'abcd', 'b']) trie.delete(key);
    assert.deepEqual(trie.along('abc'), [{ value: 1, rest: '' }]);
  });
});
