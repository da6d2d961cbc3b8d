import assert from 'node:assert/strict';
import { endsInComment } from '../../../src/completion/gate/comments';

describe('endsInComment', () => {
  const cases: [language: string, before: string, isComment: boolean][] = [
    ['typescript', 'a(); // say', true],
    ['typescript', 'const url = "http://a', false],
    ['typescript', "x = '// no", false],
    ['typescript', '/* one\ntwo', true],
    ['typescript', '/* one */ two', false],
    ['python', 'x = 1 # why', true],
    ['python', 'x = "#', false],
    ['sql', 'select 1 -- one', true],
    ['html', '<p><!-- no', true],
    ['html', '<p>#// text', false],
    ['css', 'a { } /* c', true],
    ['unknown', '// c', true],
  ];
  for (const [language, before, isComment] of cases)
    it(`${language}: ${JSON.stringify(before)} ${isComment ? 'is' : 'is not'}`, () =>
      assert.equal(endsInComment(before, language), isComment));
});
