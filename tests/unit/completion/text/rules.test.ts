import assert from 'node:assert/strict';
import { untilBlockEnd } from '../../../../src/completion/text/blockEnd';
import { fitToTail, withoutDoubleClosers } from '../../../../src/completion/text/closers';
import type { RawCompletion, CleaningRule } from '../../../../src/completion/text/rawCompletion';
import {
  withOwnIndentation,
  withoutLeadingBlank,
  withoutOwnIndent,
  withoutTrailingBlanks,
  withPlainLineEnds,
} from '../../../../src/completion/text/indentation';
import { withoutThinking, withoutTokens } from '../../../../src/completion/text/modelTokens';
import {
  withoutLinesAbove,
  withoutLineStart,
  withoutNextLines,
  cutRepeatedLines,
  withoutRepeatedWords,
} from '../../../../src/completion/text/repeated';
import { withoutEmptyComment, withoutFences, withoutPaths, withoutProse } from '../../../../src/completion/text/wrapping';

/** Document with the cursor at `¦`, a text, and the result that the rule should return. */
type Case = [name: string, document: string, raw: string, left: string, more?: Partial<RawCompletion>];

const cases: readonly [string, CleaningRule, readonly Case[]][] = [
  [
    'withoutTokens',
    withoutTokens,
    [
      ['ends at a token', 'a¦', 'b<|fim_suffix|>c', 'b'],
      ['ends at one of another family', 'a¦', 'b<｜fim▁end｜>c', 'b'],
      ['takes the middle token off the beginning', 'a¦', '<fim_middle>b', 'b'],
      ['takes a broken token off the end', 'a¦', 'b<|fim_pre', 'b'],
      ['takes the end of a sentence off the end', 'a¦', 'b</s>', 'b'],
      ['leaves struck text in markup', '<p>¦', '<s>old</s> new', '<s>old</s> new'],
      [
        'leaves a token that the document speaks of',
        "const end = '<|im_end|>';\n¦",
        "stop: ['<|im_end|>']",
        "stop: ['<|im_end|>']",
      ],
      ['leaves a placeholder of a usage text', "echo '¦", 'usage: run <filename>', 'usage: run <filename>'],
      ['ends at the next file where the family writes so', 'a¦', 'b\n<filename>c.py', 'b\n', { family: 'mellum' }],
      ['leaves operators', 'a¦', ' <| f |> g', ' <| f |> g'],
    ],
  ],
  [
    'withoutThinking',
    withoutThinking,
    [
      ['takes thoughts off the beginning', '¦', '<think>\nhm\n</think>\n\nx', 'x'],
      ['takes off what comes before their end', '¦', 'hm\n</think>\nx', 'x'],
      ['leaves nothing of thoughts without an end', '¦', '<think>hm', ''],
      ['leaves tags of a document that has them', "const a = '<think>';\nconst b = ¦", "'</think>';", "'</think>';"],
    ],
  ],
  [
    'withoutFences',
    withoutFences,
    [
      ['takes code out of its fence', '¦', '```ts\na();\n```\nDone.', 'a();'],
      ['ends before a fence', '¦', 'a();\n```\nDone.', 'a();'],
      ['takes code out of ticks', 'x = ¦', '`a()`', 'a()', { languageId: 'python' }],
      ['leaves a template string', 'x = ¦', '`a`', '`a`'],
      ['leaves fences in Markdown', '¦', '```ts\na();\n```', '```ts\na();\n```', { languageId: 'markdown' }],
    ],
  ],
  [
    'withoutProse',
    withoutProse,
    [
      ['takes a sentence off the beginning', '¦', 'Sure! Here is the code:\n\na();', 'a();'],
      ['ends before a sentence', '¦', 'a();\n\nThis code calls the function.', 'a();\n'],
      ['leaves nothing in the middle of a line', 'x = ¦', 'Here is the missing code: a()', ''],
      ['leaves comments', '// ¦', 'Here is the list of all names.', 'Here is the list of all names.'],
      ['leaves strings', "say('¦", 'Here is your report', 'Here is your report'],
      [
        'leaves code that looks a little like it',
        '¦',
        'let me = first();\nnote: while (true) {',
        'let me = first();\nnote: while (true) {',
      ],
      ['leaves Markdown', '¦', 'Here is the list:', 'Here is the list:', { languageId: 'markdown' }],
    ],
  ],
  [
    'withoutPaths',
    withoutPaths,
    [
      ['takes a path off the beginning', '¦', '// Path: src/a.ts\na();', 'a();'],
      ['ends at another file', '¦', 'a();\n+++++ src/b.ts\nb();', 'a();'],
      ['leaves comments', '¦', '# see a.py\na()', '# see a.py\na()', { family: 'deepseek' }],
    ],
  ],
  [
    'withoutLineStart',
    withoutLineStart,
    [
      ['takes off what stands before the cursor', '  const a = ¦', '  const a = b;', 'b;'],
      ['takes it off without its indentation', '  const all = ¦', 'const all = b;', 'b;'],
      ['leaves a word that stands twice by right', 'max(¦', 'max(a, b), c)', 'max(a, b), c)'],
    ],
  ],
  [
    'withoutOwnIndent',
    withoutOwnIndent,
    [
      ['takes off blanks that are there', 'def f():\n    ¦', '    a()\n    b()', 'a()\n    b()'],
      ['takes them off a single line', 'def f():\n    x()\n    ¦', '    a()', 'a()'],
      ['leaves a deeper line', '  if (a)\n    if (b) {\n    ¦', '  c();\n    }', '  c();\n    }'],
    ],
  ],
  [
    'withOwnIndentation',
    withOwnIndentation,
    [
      [
        'writes tabs where the document does',
        'f() {\n\ta();\n\t¦\n}',
        'if (b) {\n        c();\n    }',
        'if (b) {\n\t\tc();\n\t}',
      ],
      ['writes blanks where the document does', 'f() {\n  a();\n  ¦\n}', 'if (b) {\n\t\tc();\n\t}', 'if (b) {\n    c();\n  }'],
      ['leaves a document that has both', 'f() {\n\ta();\n    b();\n¦', '\tc();', '\tc();'],
    ],
  ],
  [
    'withoutLeadingBlank',
    withoutLeadingBlank,
    [
      ['takes off the blank of a family that begins with one', 'x = ¦', ' 1', '1', { family: 'codestral' }],
      ['leaves that of others', 'x =  ¦', ' 1', ' 1', { family: 'qwen' }],
      ['takes off one that would be double', 'let x = ¦', ' 1', '1', { family: 'qwen' }],
      ['takes off one that would be double, of any family', 'return ¦;', ' a', 'a'],
      ['leaves one in a string', "say('a. ¦", " b');", " b');"],
      ['leaves the indentation of a line', ' ¦', ' a();', ' a();'],
      ['leaves one before a comment', 'x = 1 ¦', ' # one', ' # one', { languageId: 'python' }],
    ],
  ],
  [
    'withoutTrailingBlanks',
    withoutTrailingBlanks,
    [
      ['takes blanks off the end', 'a¦\n', 'b  \n ', 'b'],
      ['leaves one before the rest of the line', 'a ¦+ b', '* c ', '* c '],
    ],
  ],
  ['withPlainLineEnds', withPlainLineEnds, [['writes one kind of line end', '¦', 'a\r\nb\r', 'a\nb']]],
  [
    'withoutLinesAbove',
    withoutLinesAbove,
    [
      ['takes off the line above', '  a(one);\n  ¦', 'a(one);\n  b(two);', 'b(two);'],
      ['takes off two lines above', 'a(one);\nb(two);\n¦', 'a(one);\nb(two);\nc(three);', 'c(three);'],
      ['leaves nothing of a rewrite in the middle of a line', 'a(one);\na(¦', 'one);', ''],
      ['leaves the same words in an outer block', '  if (a) {\n    return no;\n  }\n  ¦', 'return no;', 'return no;'],
      ['leaves closers', 'f() {\n  if (a) {\n    b(() => {\n    }\n  ¦', '}\n}', '}\n}'],
    ],
  ],
  [
    'withoutNextLines',
    withoutNextLines,
    [
      ['ends before the next line', '¦\nb(two);\nc(three);', 'a(one);\nb(two);\nc(three);\nd();', 'a(one);'],
      ['ends before a next line that is cut', '¦\nb(two);\nc(three);', 'a(one);\nb(two);\nc(th', 'a(one);'],
      ['leaves nothing of the next line alone', '¦\nb(two);\n', 'b(two);', ''],
      [
        'leaves a like line before one that opens a block',
        '  ¦\n    return 0;\n',
        'if (a) {\n    return 0;\n  } else {',
        'if (a) {\n    return 0;\n  } else {',
      ],
      ['leaves nothing of a closer above one with a sign', 'const a = {\n  b,\n¦\n};\n', '}', ''],
      ['leaves nothing of a closer above two', 'f({\n  b,\n¦\n});\n', '}', ''],
      ['leaves a closer that lacks', 'const a = {\n  b: {\n  ¦\n};\n', '}', '}'],
      [
        'leaves a like line that goes on otherwise',
        '¦\n  b();\n  c();',
        'a();\n  b();\n  x(one);\n  y();',
        'a();\n  b();\n  x(one);\n  y();',
      ],
    ],
  ],
  [
    'withoutRepeatedLines',
    cutRepeatedLines,
    [
      ['keeps a line once', '¦', 'a(1);\nb();\nb();\nb();\nb();', 'a(1);\nb();'],
      ['keeps a pattern of lines once', '¦', 'x();\na(1);\nb(2);\na(1);\nb(2);\na(1);\nb(2);\na(', 'x();\na(1);\nb(2);'],
      ['leaves two', '¦', 'a(1);\na(1);', 'a(1);\na(1);'],
    ],
  ],
  [
    'withoutRepeatedWords',
    withoutRepeatedWords,
    [
      ['keeps a word once', 'x = ¦', `${'foo + '.repeat(9)}`, 'foo +'],
      ['leaves a ruler', '// ¦', '='.repeat(70), '='.repeat(70)],
      ['leaves the nil UUID', "id = '¦'", '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
      ['leaves a number with many noughts', 'x = ¦', '1000000000000', '1000000000000'],
      ['leaves a colour and a hash', 'x = ¦', '0xffffffffffffffff', '0xffffffffffffffff'],
      ['ends a number that does not end', 'x = ¦', `1${'0'.repeat(200)}`, '100'],
      ['leaves nothing of an assignment to itself', '  ¦', 'foo = '.repeat(20), ''],
      ['leaves nothing of one that the line has begun', 'foo = ¦', 'foo = foo = foo =', ''],
      ['leaves nothing of one that the line has begun, said once', 'foo = ¦', 'foo =', ''],
      ['leaves the lines before one', '¦', `a();\n${'foo = '.repeat(20)}`, 'a();'],
      ['leaves comparisons and functions', 'a = ¦', 'a === b', 'a === b'],
      ['leaves arguments by name', 'f(¦', 'a=a, b=b', 'a=a, b=b'],
      ['leaves a list of noughts', 'x = ¦', `[${'0, '.repeat(20)}0]`, `[${'0, '.repeat(20)}0]`],
    ],
  ],
  [
    'untilBlockEnd',
    untilBlockEnd,
    [
      [
        'ends with the function',
        'def f():\n    ¦\n',
        'return 1\n\n\ndef g():\n    return 2',
        'return 1',
        { languageId: 'python' },
      ],
      ['ends before another method', 'class A {\n  f() {\n    ¦\n  }\n}', 'a();\n  }\n\n  private g() {\n    b();', 'a();\n  }'],
      ['keeps the second half of a statement', 'if (a) {\n  ¦\n', 'b();\n} else {\n  c();\n}', 'b();\n} else {\n  c();\n}'],
      [
        'ends with the first thing at the top',
        '¦',
        'function f() {\n  a();\n}\n\nfunction g() {\n  b();\n}',
        'function f() {\n  a();\n}',
      ],
      [
        'keeps the rest of the function at the end of a file',
        'def f(a):\n    for b in a:\n        ¦\n',
        'g(b)\n\n    return a',
        'g(b)\n\n    return a',
        { languageId: 'python' },
      ],
      [
        'keeps that of the function around it',
        'def f(a):\n    def g(b):\n        ¦\n',
        'return b\n\n    return g(a)',
        'return b\n\n    return g(a)',
        { languageId: 'python' },
      ],
      ['keeps blank lines in a block', 'f() {\n  ¦\n}', 'a();\n\n  b();', 'a();\n\n  b();'],
    ],
  ],
  [
    'withoutDoubleClosers',
    withoutDoubleClosers,
    [
      ['takes off a closer that is there', 'f() {\n  ¦\n}\n', 'a();\n}', 'a();'],
      ['takes off several', 'f(() => {\n  if (a) {\n    ¦\n  }\n});\n', 'b();\n  }\n});', 'b();'],
      ['leaves one that lacks', 'g() {\n  f() {\n    ¦\n}\n', 'a();\n  }', 'a();\n  }'],
      ['does not count brackets in strings', "f('(((') {\n  ¦\n}\n", "a(')');\n}", "a(')');"],
    ],
  ],
  [
    'withoutEmptyComment',
    withoutEmptyComment,
    [
      ['drops a comment without words', '  ¦', '//', ''],
      ['leaves one with words', '  ¦', '// a', '// a'],
    ],
  ],
];

for (const [name, rule, all] of cases) {
  describe(name, () => {
    for (const [title, document, raw, left, more] of all) {
      it(title, () => {
        const [prefix = '', suffix = ''] = document.split('¦');
        assert.equal(rule(raw, { raw, prefix, suffix, languageId: 'typescript', multiline: true, family: null, ...more }), left);
      });
    }
  });
}

describe('fitToTail', () => {
  for (const [title, text, after, left, replaces] of [
    ['leaves a text at the end of a line', 'a)', '\nb', 'a)', 0],
    ['replaces a bracket that the editor has closed', 'a, b);', ')', 'a, b);', 1],
    ['replaces a bracket and the sign behind it', 'a, b);', ');', 'a, b);', 2],
    ['replaces a quote and a bracket', 'hello")', '")', 'hello")', 2],
    ['does not take the closers of the text itself for it', 'x[0], y[1]', ']]', 'x[0], y[1]', 0],
    ['replaces the end of an empty block', '\n  a();\n}', '}', '\n  a();\n}', 1],
    ['cuts off the rest of the line', 'a, b) + c', ') + c', 'a, b', 0],
    ['leaves nothing of what stands there already', ')', ')', '', 0],
    ['leaves a text that goes well with the rest', 'a', ', b)', 'a', 0],
  ] as const) {
    it(title, () => assert.deepEqual(fitToTail(text, { before: '', after, languageId: '' }), { text: left, replaces }));
  }
});
