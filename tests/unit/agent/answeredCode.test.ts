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

  for (const [name, wanted, answer, attachments] of [
    ['code whose own fences end the block too early', 'Do it', block('# A\n\n```sh\nls\n```\n\nMore.', 'markdown'), [selection]],
    ['a question', 'What does it do?', block('alpha()'), [selection]],
    ['several blocks', 'Rename', block('one') + block('two'), [selection]],
    ['a diff', 'Rename', block('- alpha', 'diff'), [selection]],
    ['a whole file', 'Rename', block('one'), [{ kind: 'file', path: 'a.txt', content: text }]],
  ] as const)
    it(`changes nothing for ${name}`, async () => assert.equal(await textAfter(wanted, answer, attachments), text));
});
