import assert from 'node:assert/strict';
import { z } from 'zod';
import { readArguments } from '../../../src/agent/tools/kernel/toolArguments';
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
