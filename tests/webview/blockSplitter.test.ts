import { describe, expect, it } from 'vitest';
import { BlockSplitter } from '../../src/webview/markdown/blockSplitter';
import { longAnswer } from './support/markdown';
import { Random } from './support/random';

const texts = [
  longAnswer(3000),
  'para\n# not\n#hashtag\nmore\n\n- a\n- b\n\n-\n--\n---\nSetext\n===\n',
  '- item\n\n  still the item\n\nnot the item\n\n    code after\n\n1. one\n\n   ```js\n   in list\n   ```\n2. two',
  'text\n```\nunclosed\n\n``\nstill code\n~~~\n',
  '````md\n```\ninner\n```\n````\nafter\n',
  '[late][x] and [none]\n\nmiddle\n\n[x]: https://example.org "Title"\n\n[x] again',
  '| a | b |\n|---|:-:|\n| 1 | 2 |\nnot | a row\n\n> quote\nlazy\n\n> > nested',
  'line one\r\nline two\r\n\r\nblock two\r\n```\r\ncode\r\n```\r\n',
  'emoji 👩‍👩‍👧 漢字 שלום\u0000\u200b\n\n***\n\\*not em\\*',
  '  ```js\n  indented fence\n  ```\nend',
];

const whole = (text: string) => [...new BlockSplitter().update(text, false)];

describe('BlockSplitter', () => {
  it('ends with the same blocks however the text came in pieces', () => {
    for (const [number, text] of texts.entries()) {
      for (let seed = 1; seed <= 40; seed += 1) {
        const random = new Random(seed);
        const splitter = new BlockSplitter();
        for (let end = 0; end < text.length; end += 1 + random.integer(seed)) splitter.update(text.slice(0, end), true);
        expect([...splitter.update(text, false)], `text ${number}, seed ${seed}`).toEqual(whole(text));
      }
    }
  });

  it('shows at every moment what the text so far shows, but for the state of the last block', () => {
    for (const text of texts) {
      const splitter = new BlockSplitter();
      for (let end = 1; end <= text.length; end += 1) {
        const shown = splitter.update(text.slice(0, end), true);
        const expected = whole(text.slice(0, end));
        expect(shown.slice(0, -1).map((part) => part.kind)).toEqual(expected.slice(0, shown.length - 1).map((part) => part.kind));
      }
    }
  });

  it('keeps finished blocks the same objects', () => {
    const splitter = new BlockSplitter();
    const [first] = splitter.update('one\n\ntwo\n\nthree', true);
    splitter.update('one\n\ntwo\n\nthree four', true);
    expect(splitter.update('one\n\ntwo\n\nthree four five', true)[0]).toBe(first);
  });

  it('starts over when the text is another one', () => {
    const splitter = new BlockSplitter();
    splitter.update('one\n\ntwo', true);
    expect([...splitter.update('other', true)]).toEqual([{ kind: 'prose', source: 'other', references: null }]);
  });

  it('does not show the marks of a closing fence while they arrive', () => {
    const splitter = new BlockSplitter();
    splitter.update('```js\nlet a;\n', true);
    splitter.update('```js\nlet a;\n`', true);
    expect(splitter.update('```js\nlet a;\n``', true)).toEqual([
      { kind: 'code', language: 'js', text: 'let a;', isClosed: false },
    ]);
  });
});
