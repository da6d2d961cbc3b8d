import assert from 'node:assert/strict';
import { parseCalls as parse } from './support/parseCalls';

const gemma = (body: string): string => `<|tool_call>call:create_file${body}<tool_call|>`;
const created = (content: unknown): string[] => [`create_file ${JSON.stringify({ path: 'a.ts', content })}`];

const forms: [string, string, string[]][] = [
  ['a closing bracket', '<|tool_call>call:read_file{path:"a } b"}<tool_call|>', ['read_file {"path":"a } b"}']],
  ['brackets without their partners', gemma('{path:"a.ts",content:"if (a) { ]] b"}'), created('if (a) { ]] b')],
  [
    'code',
    gemma('{path:"a.ts",content:"function f() {\\n  return {a: [1]};\\n}"}'),
    created('function f() {\n  return {a: [1]};\n}'),
  ],
  ['escaped quotes', gemma('{path:"a.ts",content:"say \\"a }\\", then \\\\"}'), created('say "a }", then \\')],
  ['unescaped quotes', gemma('{path:"a.ts",content:"say "a }" then"}'), created('say "a }" then')],
  ['single quotes and an apostrophe', gemma(`{path:'a.ts',content:'it's a } "b"'}`), created(`it's a } "b"`)],
  ['an escaped apostrophe', gemma(`{path:'a.ts',content:'it\\'s }'}`), created(`it's }`)],
  ['names in quotes', gemma('{"path": "a.ts", \'content\': "}"}'), created('}')],
  [
    'a list of lists',
    gemma('{path:"a.ts",content:[["a]", "b"],[{c:"}",d:<|"|>"e}"<|"|>}]]}'),
    created([['a]', 'b'], [{ c: '}', d: '"e}"' }]]),
  ],
  ['string tokens beside it', gemma('{path:<|"|>a.ts<|"|>,content:"a <|b|> }"}'), created('a <|b|> }')],
  ['plain quotes between string tokens', gemma('{path:"a.ts",content:<|"|>{"a": "b}<|"|>}'), created('{"a": "b}')],
  ['the closing token between string tokens', gemma('{path:"a.ts",content:<|"|><tool_call|>}<|"|>}'), created('<tool_call|>}')],
  [
    'a bracket for FunctionGemma',
    '<start_function_call>call:read_file{path:"a } b"}<end_function_call>',
    ['read_file {"path":"a } b"}'],
  ],
  [
    'a missing bracket, before another call',
    '<|tool_call>call:read_file{path:"a"<tool_call|><|tool_call>call:read_file{path:"b"}<tool_call|>',
    ['read_file {"path":"a"} (a "}" was missing at the end)', 'read_file {"path":"b"}'],
  ],
  [
    'a missing quote, before another call',
    '<|tool_call>call:read_file{path:"a }<tool_call|>\n<|tool_call>call:read_file{path:"b"}<tool_call|>',
    ['read_file! it ends in the middle in "path", after 12 characters', 'read_file {"path":"b"}'],
  ],
  [
    'string tokens in another list entry, and another call',
    'I note it.\n\n<|tool_call>call:update_todos{todos:[{content:<|"|>read a.ts<|"|>},{"content": "mend the \\"sum\\"", \'status\': \'done\'}]}<tool_call|>\n<|tool_call>call:read_file{path:"src/a } b.ts"}<tool_call|>',
    [
      '"I note it."',
      'update_todos {"todos":[{"content":"read a.ts"},{"content":"mend the \\"sum\\"","status":"done"}]}',
      'read_file {"path":"src/a } b.ts"}',
    ],
  ],
];

describe('a call in the form of Gemma with a string in plain quotes', () => {
  for (const size of [1, 5, 10_000])
    describe(`in pieces of ${size}`, () => {
      for (const [title, text, seen] of forms) it(`is read with ${title}`, () => assert.deepEqual(parse(text, size), seen));
      it('is read with a line break', () =>
        assert.deepEqual(parse(gemma('{path:"a.ts",content:"a {\nb"}'), size), [
          'create_file {"path":"a.ts","content":"a {\\nb"} (line breaks inside a string)',
        ]));
    });
});
