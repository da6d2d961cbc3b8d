import assert from 'node:assert/strict';
import { decideLines } from '../../../../src/completion/text/lineMode';
import { loadSyntax } from '../../../../src/completion/text/syntaxPlace';
import { stopTime } from '../../../support/stoppedTime';

function decide(document: string, languageId: string, lineCount = 50): string {
  const [before = '', after = ''] = document.split('¦');
  return decideLines({ before, after, languageId, lineCount });
}

/** Places with the same result with and without a grammar. */
const everywhere: readonly [name: string, languageId: string, document: string, lines: 'single' | 'block'][] = [
  ['a new line', 'typescript', 'a();\n¦\nb();', 'block'],
  ['a new line of a block', 'typescript', 'function f() {\n  ¦\n}', 'block'],
  ['the beginning of an empty block', 'typescript', 'function f() {¦\n}', 'block'],
  ['an empty block that the editor has closed', 'typescript', 'if (a) {¦}', 'block'],
  ['the head of a block that has something', 'typescript', 'if (a) {¦\n  b();\n}', 'single'],
  ['the end of a line', 'typescript', 'const a = ¦\n', 'single'],
  ['the middle of a line before closers', 'typescript', 'call(¦);', 'single'],
  ['the middle of a line', 'typescript', '¦ + b', 'single'],
  ['a comment', 'typescript', '/*\n ¦\n*/', 'single'],
  ['a template', 'typescript', 'const a = `\n¦\n`;', 'single'],
  ['a new line of Python', 'python', 'def f():\n    ¦\n', 'block'],
  ['the end of a head of Python', 'python', 'def f(a):¦\n\nprint(1)', 'block'],
  ['the end of a head of Python with a body', 'python', 'def f(a):¦\n    return 1', 'single'],
  ['a docstring', 'python', 'def f():\n    """\n    ¦\n    """\n', 'single'],
  ['a block of Go', 'go', 'package a\n\nfunc f() {¦\n}', 'block'],
  ['a block of Java', 'java', 'class A {\n  void f() {¦\n  }\n}', 'block'],
  ['a block of Rust', 'rust', 'fn f() {¦\n}', 'block'],
  ['a block of Ruby', 'ruby', 'items.each do |item|¦\nend', 'block'],
  ['a language that nobody knows', 'own', 'thing {¦\n}', 'block'],
];

describe('decideLines', () => {
  stopTime();
  for (const [name, languageId, document, lines] of everywhere) {
    it(`${name} is for a ${lines}, by the text alone`, () => assert.equal(decide(document, languageId), lines));
  }

  it('nothing but single lines in a file of more than 8,000', () => {
    assert.deepEqual([decide('a();\n¦', 'typescript', 8000), decide('a();\n¦', 'typescript', 8001)], ['block', 'single']);
  });

  describe('with grammars', () => {
    before(() => Promise.all(['typescript', 'typescriptreact', 'javascript', 'python', 'go', 'java', 'rust'].map(loadSyntax)));

    for (const [name, languageId, document, lines] of everywhere) {
      it(`${name} is for a ${lines}`, () => assert.equal(decide(document, languageId), lines));
    }

    for (const [name, languageId, document] of [
      ['a slice', 'python', 'x = items[1:¦\n'],
      ['a key of a dictionary', 'python', "x = {\n    'a':¦\n}"],
      ['a lambda', 'python', 'x = lambda a:¦\n'],
      ['imports', 'typescript', "import {¦} from 'a';"],
      ['a pattern', 'typescript', 'const {¦} = a;'],
      ['a substitution', 'typescript', 'const a = `${¦}`;'],
      ['an expression in markup', 'typescriptreact', 'const a = <p>{¦}</p>;'],
      ['a comment with a brace', 'typescript', '// see {¦\n'],
    ] as const) {
      it(`${name} is for a single line`, () => assert.equal(decide(document, languageId), 'single'));
    }

    it('a regular expression with quotes is no string', () => {
      assert.equal(decide('const a = /[`\'"]/;\nfunction f() {\n  ¦\n}', 'typescript'), 'block');
    });

    it('takes a few milliseconds of a file of 8,000 lines', () => {
      const body = Array.from({ length: 4000 }, (_, index) => `  const a${index} = call(${index}, { b: [1, 2, 3] });\n`).join('');
      const document = `function f() {\n${body}  ¦\n${body}}\n`;
      assert.equal(decide(document, 'typescript', 8000), 'block');
    });
  });
});
