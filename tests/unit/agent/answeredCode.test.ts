import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import type { Attachment } from '../../../src/protocol/entries';
import { AgentBench } from './support/agentBench';

const text = 'first\n  alpha\n  beta\n\nlast\n';
const selection: Attachment = { kind: 'selection', path: 'a.txt', startLine: 2, endLine: 3, content: '  alpha\n  beta' };
const cursor = (line: number): Attachment => ({ kind: 'editor', path: 'a.txt', startLine: line, content: 'plaintext' });
const block = (code: string, language = 'txt') => `Here it is:\n\n\`\`\`${language}\n${code}\n\`\`\`\n`;

describe('Code blocks in Edit mode', () => {
  let bench: AgentBench;
  before(async () => void (bench = await AgentBench.start()));
  beforeEach(() => writeFile(bench.file('a.txt'), text));
  after(() => bench.stop());

  const textAfter = async (wanted: string, answer: string, attachments: readonly Attachment[]): Promise<string> => {
    bench.double.script.push(answer);
    await bench.ask(wanted, { mode: 'edit', attachments: [...attachments] });
    return readFile(bench.file('a.txt'), 'utf8');
  };

  it('replaces the selected lines, waits for an answer and needs no other request', async () => {
    assert.equal(
      await textAfter('Rename', block('  one\n  two\n  three'), [selection]),
      'first\n  one\n  two\n  three\n\nlast\n',
    );
    assert.equal(bench.chats().length, 1);
  });

  for (const [name, attachments, code, after] of [
    ['takes the indentation of the lines', [selection], 'one', 'first\n  one\n\nlast\n'],
    ['takes the place of the empty line of the cursor', [cursor(4)], 'new', 'first\n  alpha\n  beta\nnew\nlast\n'],
    ['goes below the line of the cursor', [cursor(2)], 'new', 'first\n  alpha\n  new\n  beta\n\nlast\n'],
  ] as const)
    it(name, async () => assert.equal(await textAfter('Do it', block(code), attachments), after));

  describe('that contain a function', () => {
    const script =
      'def sub(a, b):\n    return a - b\n\n\ndef add(a, b):\n    total = a + b\n    return total\n\n\nprint(add(1, 2))\n';
    const changed = 'def add(a, b):\n    total = (a or 0) + (b or 0)\n    return total';
    const old = 'def add(a, b):\n    total = a + b\n    return total';
    beforeEach(() => writeFile(bench.file('a.txt'), script));

    for (const [name, line] of [
      ['head', 5],
      ['last line', 7],
    ] as const)
      it(`replace the function whose ${name} has the cursor`, async () =>
        assert.equal(await textAfter('Accept None', block(changed, 'python'), [cursor(line)]), script.replace(old, changed)));

    it('replace the whole file that they contain', async () => {
      const whole = script.replace(old, changed);
      assert.equal(await textAfter('Accept None', block(whole.trimEnd(), 'python'), [cursor(5)]), whole);
    });

    it('are inserted at a cursor elsewhere', async () => {
      const lines = script.split('\n');
      const after = [...lines.slice(0, 3), ...changed.split('\n'), ...lines.slice(4)].join('\n');
      assert.equal(await textAfter('Accept None', block(changed, 'python'), [cursor(4)]), after);
    });
  });

  describe('that repeat lines around the selection', () => {
    const script = 'function add(a: number, b: number) {\n  const total = a + b;\n  return total;\n}\n\nadd(1, 2);\n';
    const python = '@cache\ndef add(a, b):\n    total = a + b\n    return total\n\n\nclass A:\n    def b(self):\n        run()\n';
    const whole = 'function add(a: number, b: number) {\n  return a + b;\n}';
    const added = 'function add(a: number, b: number) {\n  return a + b;\n}\n\nadd(1, 2);\n';
    const def = 'def add(a, b):\n    total = int(a + b)\n    return total';
    for (const [name, before, [startLine, endLine], code, after] of [
      ['the closing brace', script, [1, 3], whole, added],
      ['the head', script, [2, 4], whole, added],
      ['the head and the closing brace', script, [2, 3], whole, added],
      ['several lines below', script, [1, 2], script.replace('a + b', 'a - b').slice(0, -13), script.replace('a + b', 'a - b')],
      ['a Python head', python, [3, 4], def, python.replace('a + b', 'int(a + b)')],
      ['a return in Python', python, [2, 3], def, python.replace('a + b', 'int(a + b)')],
      ['a decorator and a head', python, [3, 3], `@cache\n${def}`, python.replace('a + b', 'int(a + b)')],
      ['an indented head', python, [9, 9], 'def b(self):\n    stop()', python.replace('run', 'stop')],
      ['a bracket in Python', 'a = [\n    1,\n]\n', [1, 2], 'a = [\n    2,\n]', 'a = [\n    2,\n]\n'],
    ] as const)
      it(`do not double ${name}`, async () => {
        await writeFile(bench.file('a.txt'), before);
        const content = before
          .split('\n')
          .slice(startLine - 1, endLine)
          .join('\n');
        assert.equal(await textAfter('Do it', block(code), [{ ...selection, startLine, endLine, content }]), after);
      });

    it('stay where both may be meant', async () => {
      await writeFile(bench.file('a.txt'), 'one();\nlog();\n');
      const selected = { ...selection, startLine: 1, endLine: 1, content: 'one();' };
      assert.equal(await textAfter('Do it', block('two();\nlog();'), [selected]), 'two();\nlog();\nlog();\n');
    });
  });

  describe('with another version of the statement at the cursor', () => {
    const ts =
      "function price(parcel: Parcel) {\n  const base = parcel.zone === 'A' ? 4 : 7;\n  let extra = 0;\n  if (parcel.weight > 10) {\n    extra += 5;\n  }\n  return base + extra;\n}\n";
    const call = 'const a = 1;\nconst total = sum(\n  a,\n  2,\n);\nprint(total);\n';
    const chain = '  const all = items\n    .filter(Boolean)\n    .map(String);\n  show(all);\n';
    const python = 'def f(zone):\n    base = 4\n    total: int = base\n    if zone == "A":\n        base += 1\n    return base\n';
    const json = '{\n  "name": "a",\n  "port": 80,\n  "tags": [\n    "x"\n  ],\n  "last": 1\n}\n';
    const css = '.a {\n  color: red;\n  margin: 0;\n}\n';
    const go = 'func f() {\n\tbase := 4\n\tbase = 5\n}\n';
    const java = 'class A {\n  private final Map<String, Integer> prices = new HashMap<>();\n  int base = 4;\n}\n';
    const yaml = 'server:\n  port: 80\n  host: a\n';
    const base = "const base = parcel.zone === 'A' ? 5 : 8;";
    const replaced = (before: string, old: string, next: string) => before.replace(old, () => next);
    const ofBase = replaced(ts, "'A' ? 4 : 7", "'A' ? 5 : 8");

    for (const [name, before, line, code, after] of [
      ['a constant', ts, 2, base, ofBase],
      ['a constant that is indented', ts, 2, `  ${base}`, ofBase],
      ['a constant that is indented deeper', ts, 2, `      ${base}`, ofBase],
      ['a variable', ts, 3, 'let extra = 1;', replaced(ts, 'extra = 0', 'extra = 1')],
      ['a variable that becomes a constant', ts, 3, 'const extra = 0;', replaced(ts, 'let extra', 'const extra')],
      ['a sum', ts, 5, 'extra += 6;', replaced(ts, '+= 5', '+= 6')],
      ['a returned value', ts, 7, 'return base - extra;', replaced(ts, 'base + extra', 'base - extra')],
      ['a head', ts, 4, 'if (parcel.weight > 20) {', replaced(ts, '> 10', '> 20')],
      ['a block', ts, 4, 'if (parcel.weight > 10) {\n  extra += 9;\n  log();\n}', replaced(ts, '+= 5;', '+= 9;\n    log();')],
      ['a statement and the next', ts, 2, `${base}\nlet extra = 2;`, replaced(ofBase, 'extra = 0', 'extra = 2')],
      ['a statement and the one before', ts, 3, `${base}\nlet extra = 2;`, replaced(ofBase, 'extra = 0', 'extra = 2')],
      [
        'a statement with a new one',
        ts,
        2,
        `const zone = 5;\nconst base = zone;`,
        replaced(ts, "base = parcel.zone === 'A' ? 4 : 7", 'zone = 5;\n  const base = zone'),
      ],
      ['a call in several lines', call, 2, 'const total = sum(a, 3);', replaced(call, 'sum(\n  a,\n  2,\n)', 'sum(a, 3)')],
      ['a call around the cursor', call, 4, 'const total = sum(\n  a,\n  3,\n);', replaced(call, '2', '3')],
      ['a chain', chain, 1, 'const all = items.map(String);', '  const all = items.map(String);\n  show(all);\n'],
      ['an assignment in Python', python, 2, 'base = 5', replaced(python, 'base = 4', 'base = 5')],
      ['an annotated name in Python', python, 3, 'total: float = base', replaced(python, ': int', ': float')],
      ['a head in Python', python, 4, 'if zone == "B":', replaced(python, '"A"', '"B"')],
      ['a body in Python', python, 4, 'if zone == "A":\n    base += 2', replaced(python, '+= 1', '+= 2')],
      ['a returned value in Python', python, 6, 'return base * 2', replaced(python, 'return base', 'return base * 2')],
      ['a property in JSON', json, 3, '"port": 81', replaced(json, '80', '81')],
      ['the last property in JSON', json, 7, '  "last": 2,', replaced(json, '"last": 1', '"last": 2')],
      ['a property in CSS', css, 2, 'color: blue;', replaced(css, 'red', 'blue')],
      ['a short declaration in Go', go, 2, 'base := 6', replaced(go, ':= 4', ':= 6')],
      [
        'a field in Java',
        java,
        2,
        'private final Map<String, Integer> prices = Map.of();',
        replaced(java, 'new HashMap<>()', 'Map.of()'),
      ],
      [
        'a case',
        "switch (a) {\n  case 'A':\n    return 1;\n  case 'B': return 2;\n}\n",
        4,
        "case 'B': return 3;",
        "switch (a) {\n  case 'A':\n    return 1;\n  case 'B': return 3;\n}\n",
      ],
      ['a key in YAML', yaml, 2, 'port: 81', replaced(yaml, '80', '81')],
      [
        'an import',
        "import { a } from './a';\nrun();\n",
        1,
        "import { a, b } from './a';",
        "import { a, b } from './a';\nrun();\n",
      ],
    ] as const)
      it(`replace ${name}`, async () => {
        await writeFile(bench.file('a.txt'), before);
        assert.equal(await textAfter('Change it', block(code), [cursor(line)]), after);
      });

    for (const [name, before, line, code, old] of [
      ['a new statement', ts, 2, "const zone = 'B';", '? 4 : 7;'],
      ['a new property', json, 3, '"host": "b",', '"port": 80,'],
      ['a new import', "import a from './a';\n", 1, "import b from './b';", "import a from './a';"],
      ['a name of another block', ts, 5, 'const base = 1;', 'extra += 5;'],
    ] as const)
      it(`are inserted below it if they are ${name}`, async () => {
        await writeFile(bench.file('a.txt'), before);
        const indent = /^\s*/.exec(before.split('\n')[line - 1] ?? '')?.[0] ?? '';
        const after = replaced(before, old, `${old}\n${indent}${code}`);
        assert.equal(await textAfter('Add it', block(code), [cursor(line)]), after);
      });

    for (const [name, before, line, code] of [
      ['declare a name of another line of the block', ts, 3, base],
      ['are another condition', 'if (!a) return;\nrun();\n', 1, 'if (!b) return;'],
      ['are another call of the same function', 'use(a);\n', 1, 'use(b);'],
      ['are another element', '<h1>A</h1>\n', 1, '<h1>B</h1>'],
      ['add to a declared name', ts, 3, 'extra += 2;'],
      ['return before other statements', ts, 2, 'return 5;'],
      ['are another head', ts, 2, 'if (parcel) {'],
    ] as const)
      it(`change nothing if they ${name}`, async () => {
        await writeFile(bench.file('a.txt'), before);
        assert.equal(await textAfter('Change it', block(code), [cursor(line)]), before);
      });
  });

  for (const [name, wanted, answer, attachments] of [
    ['code whose own fences end the block too early', 'Do it', block('# A\n\n```sh\nls\n```\n\nMore.', 'markdown'), [selection]],
    ['a question', 'What does it do?', block('alpha()'), [selection]],
    ['several blocks', 'Rename', block('one') + block('two'), [selection]],
    ['a diff', 'Rename', block('- alpha', 'diff'), [selection]],
    ['a whole file', 'Rename', block('one'), [{ kind: 'file', path: 'a.txt', content: text }]],
  ] as const)
    it(`changes nothing for ${name}`, async () => assert.equal(await textAfter(wanted, answer, attachments), text));
});
