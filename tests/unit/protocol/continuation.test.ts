import assert from 'node:assert/strict';
import { joinContinued } from '../../../src/protocol/continuation';

describe('a continued answer', () => {
  const cases: [before: string, after: string, whole: string][] = [
    ['', 'All of it.', 'All of it.'],
    ['Half of', 'the way', 'Half of the way'],
    ['Half of ', 'the way', 'Half of the way'],
    ['Half of', ' the way', 'Half of the way'],
    ['First.', 'Then more', 'First. Then more'],
    ['It is called `par', 'se()`', 'It is called `par se()`'],
    ['半分', 'です', '半分です'],
    ['Two things:', '- one', 'Two things:\n- one'],
    ['The end.', '## Next', 'The end.\n## Next'],
    ['```ts\nfoo', '.bar()', '```ts\nfoo.bar()'],
    ['```ts\nconst', 'a = 1', '```ts\nconst a = 1'],
    ['```ts\nfoo.', 'bar()', '```ts\nfoo.bar()'],
    ['```ts\nfoo();', '```', '```ts\nfoo();\n```'],
    ['```ts\na\n```\nDone.', 'Now', '```ts\na\n```\nDone. Now'],
  ];
  for (const [before, after, whole] of cases) {
    it(`${JSON.stringify(before)} and ${JSON.stringify(after)}`, () => assert.equal(joinContinued(before, after), whole));
  }
});
