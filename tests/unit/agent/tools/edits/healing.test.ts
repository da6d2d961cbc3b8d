import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { applyPatchTool } from '../../../../../src/agent/tools/edit/applyPatch';
import { correctedDetails } from '../../../../../src/agent/tools/edit/healing/slipTexts';
import { replaceInFileTool } from '../../../../../src/agent/tools/edit/replaceInFile';
import { ToolBench } from '../../support/toolBench';

describe('healing of edits', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  /** Edits `a.ts`. Resolves with the file, the text of its row and the first line of the result. */
  async function replace(
    before: string,
    oldText: string,
    newText: string,
    more: object = {},
  ): Promise<[string, unknown, string]> {
    await writeFile(bench.file('a.ts'), before);
    const { details, content } = await bench.attempt(replaceInFileTool(bench.editing), {
      path: 'a.ts',
      oldText,
      newText,
      ...more,
    });
    return [await readFile(bench.file('a.ts'), 'utf8'), details?.['corrected'] ?? '', content.split('\n')[0] ?? ''];
  }

  async function patch(before: string, ...lines: string[]): Promise<[string, unknown, string]> {
    await writeFile(bench.file('a.ts'), before);
    const text = ['*** Begin Patch', '*** Update File: a.ts', '@@', ...lines, '*** End Patch'].join('\n');
    const { details, content } = await bench.attempt(applyPatchTool(bench.editing), { patch: text });
    return [await readFile(bench.file('a.ts'), 'utf8'), details?.['corrected'] ?? '', content];
  }

  const code = 'function hello() {\n  say("hi", \'you\');\n  const list = [1];\n  return list - 1;\n}\n';

  it('says what was healed, to the model and in the row', async () => {
    const [text, summary, note] = await replace(code, '  say(“hi”, ‘you’);\n', '  say(“bye”, ‘you’);\n');
    assert.equal(text, code.replace('hi', 'bye'));
    assert.equal(summary, 'corrected: quotes or dashes');
    assert.equal(note, 'oldText was found with the quotes and dashes of the file; the given ones are other characters.');
    const [patched, row, content] = await patch(
      code,
      '   say("hi",  \'you\');',
      '-  const  list = [1];',
      '+  const  list = [2];',
    );
    assert.deepEqual([patched, row], [code.replace('[1]', '[2]'), 'corrected: spaces']);
    assert.equal(
      content,
      'Changed a.ts: +1 −1\nA part of it was found by its words; the blanks inside its lines are different in the file.',
    );
  });

  it('names each kind of slip in the row', () => {
    const slips = ['indentation', 'blankLine', 'spaces', 'quotes', 'escapes', 'numbers', 'character'] as const;
    assert.deepEqual(
      slips.map((slip) => correctedDetails([slip]).corrected),
      [
        undefined,
        ...['blank lines', 'spaces', 'quotes or dashes', 'escaped characters', 'line numbers', 'one character'].map(
          (name) => `corrected: ${name}`,
        ),
      ],
    );
  });

  const replaced: [string, string, string, string, string][] = [
    ['a part of a line', code, 'say(“hi”, ‘you’)', 'say("bye", \'you\')', code.replace('hi', 'bye')],
    ['a dash for a minus', code, 'return list – 1;', 'return list – 2;', code.replace('- 1', '- 2')],
    ['a dash for two hyphens', 'run git —all\n', 'run git —all', 'run git —tags', 'run git —tags\n'],
    ['a dash for two hyphens that the file has', 'run git --all now\n', 'run git —all', 'run git —tags', 'run git --tags now\n'],
    ['new quotes of text that are no slip', code, '  say("hi", \'you\');', '  say("“hi”", \'you\');', code.replace('hi', '“hi”')],
    [
      'quotes that the file has typographic, left as they are there',
      '// It’s “so”.\nrun("a");\n',
      '// It\'s "so".\nrun("a");',
      '// It\'s "so".\nrun("b");',
      '// It’s “so”.\nrun("b");\n',
    ],
    [
      'quotes of which the file has one kind typographic',
      'say("it’s");\n',
      'say(“it’s”);',
      'say(“it’s not”);',
      'say("it’s not");\n',
    ],
    [
      'text in one line with \\n',
      code,
      '  say(\\"hi\\", \'you\');\\n  const list = [1];',
      '  const list = [1];',
      code.replace(/ {2}say.*\n/, ''),
    ],
    [
      'escaped line ends where strings have their own',
      'a();\nb("x\\ny");\n',
      'a();\\nb("x\\ny");',
      'a();\\nb("x\\nz");',
      'a();\nb("x\\nz");\n',
    ],
    [
      'escaped line ends around three quotes',
      'def f():\n    """\n    Say.\n    """\n    pass\n',
      '    Say.\\n    """\\n    pass',
      '    Say.\\n    """\\n    a = "x"\\n    return a',
      'def f():\n    """\n    Say.\n    """\n    a = "x"\n    return a\n',
    ],
    [
      'escaped tabs',
      '\tif (a) {\n\t\tb();\n\t}\n',
      '\\tif (a) {\n\\t\\tb();',
      '\\tif (a) {\n\\t\\tc("\\t");',
      '\tif (a) {\n\t\tc("\\t");\n\t}\n',
    ],
    [
      'tabs that are escaped in the new text alone',
      '\tif (a) {\n\t\tb();\n\t}\n',
      '\t\tb();',
      '\t\tb();\n\\t\\tc();',
      '\tif (a) {\n\t\tb();\n\t\tc();\n\t}\n',
    ],
    ['a line of LaTeX', '\\title{a}\n\tb\n', '\tb', '\tb\n\\textbf{c}', '\\title{a}\n\tb\n\\textbf{c}\n'],
    ['a leading blank line', code, '\n  const list = [1];', '  const list = [2];', code.replace('[1]', '[2]')],
    [
      'a leading blank line at the beginning of the file',
      code,
      '\nfunction hello() {',
      '\nfunction bye() {',
      code.replace('hello', 'bye'),
    ],
    [
      'line numbers',
      code,
      '2: say("hi", \'you\');\n3: const list = [1];',
      '2: say("hi", \'you\');\n3: const list = [2];',
      code.replace('[1]', '[2]'),
    ],
    [
      'line numbers that the new text has not',
      code,
      ' 2 |   say("hi", \'you\');',
      '  say("bye", \'you\');',
      code.replace('hi', 'bye'),
    ],
    [
      'line numbers above new lines that begin with numbers of their own',
      'a = {\n    0: "x",\n}\n',
      '1: a = {\n2:     0: "x",',
      '1: a = {\n        2: "Two",\n        3: "Three",',
      'a = {\n        2: "Two",\n        3: "Three",\n}\n',
    ],
    [
      'one wrong character',
      code,
      code.replace('const', 'cons').trimEnd(),
      code.replace('const', 'cons').replace('- 1', '- 2').trimEnd(),
      code.replace('- 1', '- 2'),
    ],
    [
      'over CRLF',
      code.replaceAll('\n', '\r\n'),
      '2: say("hi", \'you\');\n3: const list = [1];',
      '3: const list = [2];',
      code
        .replace(/ {2}say.*\n/, '')
        .replace('[1]', '[2]')
        .replaceAll('\n', '\r\n'),
    ],
  ];
  for (const [name, before, oldText, newText, after] of replaced) {
    it(`replaces ${name}`, async () => assert.deepEqual((await replace(before, oldText, newText)).slice(0, 1), [after]));
  }

  const kept: [string, string, string, string, string][] = [
    ['years behind a copied number', 'one\ntwo\n', '1\tone', '2024\t17\n2025\t19', '2024\t17\n2025\t19\ntwo\n'],
    ['a new number that does not count on', 'one\ntwo\n', '1: one', '1: one\n3: three', 'one\n3: three\ntwo\n'],
    ['numbers that count down', 'go\n', '1: go', '1: go\n3: c\n2: b', 'go\n3: c\n2: b\n'],
    ['numbers of some new lines', 'go\n', '1: go', '1: go\n2: b\nstop', 'go\n2: b\nstop\n'],
    ['numbers of text that is there verbatim', '1\tone\n2\ttwo\n', '1\tone', '1\tuno', '1\tuno\n2\ttwo\n'],
  ];
  for (const [name, before, oldText, newText, after] of kept) {
    it(`keeps ${name}`, async () => assert.deepEqual((await replace(before, oldText, newText)).slice(0, 1), [after]));
  }

  it('removes the new numbers of lines that the new text moves', async () => {
    const [text] = await replace('a\nkeys: {\n}\n', '2: keys: {\n3: }', '2: keys: {\n  3: "x",\n4: }');
    assert.equal(text, 'a\nkeys: {\n  3: "x",\n}\n');
  });

  it('removes line numbers from a later part of a patch, which has the numbers before the patch', async () => {
    const [text] = await patch('a\nb\nc\nd\n', '-1: a', '+1: x', '+2: y', '@@', '-4: d', '+4: z');
    assert.equal(text, 'x\ny\nb\nc\nz\n');
  });

  it('refuses a patch whose line begins with a number that is not that of the line', async () => {
    const [text, row] = await patch('beta\ngamma\n', '-2021\tbeta', '+2021\tBETA');
    assert.deepEqual([text, row], ['beta\ngamma\n', '']);
  });

  const refused: [string, string, string][] = [
    ['two places with the same quotes', 'a("x");\nb();\na("x");\n', 'a(“x”);'],
    ['two places with the same blanks', 'a( x);\nb();\na( x);\n', 'a(  x);'],
    ['one wrong character in three lines', 'one();\ntwo();\nthree();\n', 'one();\ntwo();\nthrae();'],
    ['two wrong characters', 'one();\ntwo();\nthree();\nfour();\n', 'ono();\ntwo();\nthrae();\nfour();'],
    ['one wrong character, at two places', 'a1();\nb();\nc();\nd();\na2();\nb();\nc();\nd();\n', 'a3();\nb();\nc();\nd();'],
    ['numbers that do not count on', 'one();\ntwo();\n', '1: one();\n7: two();'],
    ['other words', code, 'return list + 1;'],
    ['a number that is not that of the line', 'beta\ngamma\n', '2021\tbeta'],
    ['numbers of other lines', 'one();\ntwo();\n', '2: one();\n3: two();'],
  ];
  for (const [name, before, oldText] of refused) {
    it(`refuses ${name}`, async () => {
      assert.deepEqual((await replace(before, oldText, 'new();')).slice(0, 2), [before, '']);
      assert.deepEqual((await replace(before, oldText, 'new();', { replaceAll: true })).slice(0, 2), [before, '']);
    });
  }

  const patched: [string, string, string[], string][] = [
    ['tabs that are escaped in new lines', 'a {\n\tb\n}\n', [' a {', '-\tb', '+\\t\\tworld'], 'a {\n\t\tworld\n}\n'],
    [
      'tabs and quotes that are escaped everywhere',
      'a {\n\tb("c")\n}\n',
      [' a {', '-\\tb(\\"c\\")', '+\\tb(\\"d\\")'],
      'a {\n\tb("d")\n}\n',
    ],
    [
      'copied line numbers',
      code,
      [' 2: say("hi", \'you\');', '-3: const list = [1];', '+3: const list = [2];'],
      code.replace('[1]', '[2]'),
    ],
    [
      'one wrong character',
      code,
      [' function helo() {', '   say("hi", \'you\');', '-  const list = [1];', '   return list - 1;'],
      code.replace(/ {2}const.*\n/, ''),
    ],
  ];
  for (const [name, before, lines, after] of patched) {
    it(`patches ${name}`, async () => assert.deepEqual((await patch(before, ...lines)).slice(0, 1), [after]));
  }

  it('reads a patch whose line ends are escaped', async () => {
    await writeFile(bench.file('a.ts'), code);
    const text =
      '*** Begin Patch\\n*** Update File: a.ts\\n@@\\n-  say(\\"hi\\", \'you\');\\n+  say(\\"bye\\", \'you\');\\n*** End Patch';
    const { status } = await bench.run(applyPatchTool(bench.editing), { patch: text });
    assert.deepEqual([status, await readFile(bench.file('a.ts'), 'utf8')], ['success', code.replace('hi', 'bye')]);
  });
});
