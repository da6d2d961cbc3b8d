import assert from 'node:assert/strict';
import { z } from 'zod';
import { readArguments } from '../../../src/agent/tools/kernel/toolArguments';
import { externalTool } from '../../../src/mcp/tools/externalTool';
import { coerced } from '../../../src/agent/tools/kernel/argumentTypes';
import { wireSchema } from '../../../src/agent/tools/kernel/wireSchema';

const schema = z.object({
  path: z.string().min(1).describe('Where'),
  startLine: z.number().int().min(1).optional(),
  deep: z.boolean().default(false),
  kind: z.enum(['a', 'b']).optional(),
  tags: z.array(z.object({ name: z.string() })).optional(),
});
const aliases = { file: 'path', filename: 'path' };
const expected = 'Expected arguments: {path: string, startLine?: integer, deep?: boolean, kind?: string, tags?: array}.';

describe('tool arguments', () => {
  const read = (input: Record<string, unknown>) => readArguments(schema, aliases, input);
  const accepted: [string, Record<string, unknown>, Record<string, unknown>, string[]][] = [
    ['as declared', { path: 'x', startLine: 2 }, { path: 'x', startLine: 2, deep: false }, []],
    ['in another spelling', { file: 'x', start_line: 2 }, { path: 'x', startLine: 2, deep: false }, []],
    ['in another letter case', { Path: 'x', 'START-LINE': 2 }, { path: 'x', startLine: 2, deep: false }, []],
    ['in quotes', { path: 'x', startLine: '2', deep: 'True' }, { path: 'x', startLine: 2, deep: true }, []],
    ['a number for a text', { path: 7 }, { path: '7', deep: false }, []],
    ['null for nothing', { path: 'x', startLine: null }, { path: 'x', deep: false }, []],
    ['wrapped once more', { arguments: { path: 'x' } }, { path: 'x', deep: false }, []],
    ['with surplus ones', { path: 'x', content: 'y', why: 1 }, { path: 'x', deep: false }, ['content', 'why']],
    ['a list as text', { path: 'x', tags: '[{"name": "a"}]' }, { path: 'x', deep: false, tags: [{ name: 'a' }] }, []],
    ['with lists inside as text', { path: 'x', tags: ['{"name": "a"}'] }, { path: 'x', deep: false, tags: [{ name: 'a' }] }, []],
    ['wrapped once more as text', { arguments: '{"path": "x", "startLine": "2"}' }, { path: 'x', startLine: 2, deep: false }, []],
    ['JSON for a text', { path: '[1,2]' }, { path: '[1,2]', deep: false }, []],
    ['named twice', { file: 'y', path: 'x' }, { path: 'x', deep: false }, ['file']],
  ];
  for (const [title, input, value, ignored] of accepted) {
    it(`takes arguments ${title}`, () => assert.deepEqual(read(input), { isValid: true, value, ignored }));
  }

  const refused: [string, Record<string, unknown>, string][] = [
    ['missing', {}, '"path" is missing'],
    ['of the wrong type', { path: ['a'] }, '"path" must be a string, but it is a list'],
    ['no number', { path: 'x', startLine: 'two' }, '"startLine" must be an integer, but it is the text "two"'],
    ['two at once', { startLine: {} }, '"path" is missing; "startLine" must be an integer, but it is an object'],
  ];
  for (const [title, input, problem] of refused) {
    it(`says exactly what is wrong with arguments that are ${title}`, () => {
      assert.deepEqual(read(input), { isValid: false, problem: `${problem}. ${expected}` });
    });
  }

  describe('of a file', () => {
    const file = z.object({ path: z.string(), content: z.string() });
    const contentOf = (input: Record<string, unknown>) => {
      const read = readArguments(file, {}, input);
      return read.isValid ? read.value.content : read.problem;
    };

    it('keep JSON text as it was written', () => {
      for (const content of ['[1,2]', '{"a":1}', '7', 'true']) assert.equal(contentOf({ path: 'a.json', content }), content);
    });

    it('write an object or a list as JSON text into a JSON file', () => {
      assert.equal(contentOf({ path: 'b.json', content: { a: 1 } }), '{\n  "a": 1\n}');
      assert.equal(contentOf({ path: 'list.ipynb', content: [1] }), '[\n  1\n]');
    });

    it('refuse an object for another file, because its form is unknown', () => {
      assert.match(contentOf({ path: 'a.ts', content: ['a', 'b'] }), /^"content" must be a string, but it is a list/);
      assert.match(contentOf({ path: { a: 1 }, content: 'x' }), /^"path" must be a string, but it is an object/);
    });
  });

  describe('are converted by a schema', () => {
    const list = { type: 'array', items: { type: 'integer' } };
    const nested = { type: 'object', properties: { on: { type: 'boolean' }, list } };
    const cases: [title: string, value: unknown, schema: unknown, expected: unknown][] = [
      ['the items of a list', ['1', 2], list, [1, 2]],
      [
        'an object in a list in a text',
        '[{"on": "true", "list": "[1]"}]',
        { type: 'array', items: nested },
        [{ on: true, list: [1] }],
      ],
      ['Python text', "{'on': True}", nested, { on: true }],
      ['one of several types', '2', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 2],
      ['the list of a union', '["1"]', { anyOf: [list, { type: 'null' }] }, [1]],
      ['a list of types', '7', { type: ['number', 'null'] }, 7],
      ['a number with an exponent', '1e3', { type: 'number' }, 1000],
      ['text that is accepted', '["a"]', { anyOf: [{ type: 'string' }, list] }, '["a"]'],
      ['text without a schema', '{"a":1}', undefined, '{"a":1}'],
      ['a number that would lose digits', '12345678901234567890', { type: 'integer' }, '12345678901234567890'],
      ['text that is no JSON', 'a, b', list, 'a, b'],
      ['the name of a prototype', { ['__proto__']: '1' }, { type: 'object', properties: { a: list } }, { ['__proto__']: '1' }],
    ];
    for (const [title, value, by, expected] of cases) it(title, () => assert.deepEqual(coerced(value, by), expected));
  });

  it('of an external tool are JSON text where it wants text, also inside', () => {
    const properties = {
      fields: { type: 'string' },
      rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    };
    const tool = externalTool({
      name: 'x',
      description: '',
      schema: { type: 'object', properties },
      effect: 'outside',
      question: () => ({ kind: 'tool' }),
      call: async () => Promise.reject(new Error('Never called')),
    });
    const prepared = tool.prepare({ fields: { a: 1 }, rows: '[{"n": "1"}]' });
    assert.deepEqual(prepared.isValid && prepared.input, { fields: '{\n  "a": 1\n}', rows: [{ n: 1 }] });
  });

  it('the schema on the wire has only the keys that the server keeps', () => {
    assert.deepEqual(wireSchema(schema), {
      type: 'object',
      required: ['path'],
      properties: {
        path: { type: 'string', description: 'Where' },
        startLine: { type: 'integer' },
        deep: { type: 'boolean' },
        kind: { type: 'string', enum: ['a', 'b'] },
        tags: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
      },
    });
  });
});
