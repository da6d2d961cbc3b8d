import assert from 'node:assert/strict';
import { ToolCallParser, type AnswerPiece } from '../../../src/agent/stream/toolCallParser';
import { parseCalls as parse, tools } from './support/parseCalls';

const readIt = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
const readB = '{"name": "read_file", "arguments": {"path": "b.txt"}}';
const a = 'read_file {"path":"a.txt"}';
const b = 'read_file {"path":"b.txt"}';
const asText = (text: string): string[] => [JSON.stringify(text)];

const forms: [string, string, string[]][] = [
  ['Qwen and Hermes', `<tool_call>\n${readIt}\n</tool_call>`, [a]],
  [
    'Qwen and Hermes, after words',
    `I read it.\n<tool_call>\n${readIt}\n</tool_call>\nThen more.`,
    ['"I read it."', a, '"Then more."'],
  ],
  ['several in one message', `<tool_call>\n${readIt}\n</tool_call>\n<tool_call>\n${readB}\n</tool_call>`, [a, b]],
  ['several without closers', `<tool_call>${readIt}\n<tool_call>${readB}`, [a, b]],
  ['several in one pair of tags', `<tool_call>\n${readIt}\n${readB}\n</tool_call>`, [a, b]],
  ['a list in one pair of tags', `<tool_call>[${readIt}, ${readB}]</tool_call>`, [a, b]],
  ['a bracket too many', `<tool_call>\n${readIt}}\n</tool_call>`, [a]],
  ['after a sentence, on its line', `I read it. <tool_call>${readIt}</tool_call>`, ['"I read it."', a]],
  ['arguments as a text', '<tool_call>{"name":"read_file","arguments":"{\\"path\\":\\"a.txt\\"}"}</tool_call>', [a]],
  [
    'arguments beside the name, one of them called type',
    '<tool_call>{"type": "function", "name": "read_file", "path": "a.txt"}</tool_call><tool_call>{"name": "read_file", "type": "text"}</tool_call>',
    [a, 'read_file {"type":"text"}'],
  ],
  [
    'an end after a comma',
    '<tool_call>{"name": "update_todos", "arguments": {"list": [1,',
    ['update_todos! it ends in the middle in "list", after 50 characters'],
  ],
  [
    'an end after a bracket',
    '<tool_call>{"name": "update_todos", "arguments": {"list": [',
    ['update_todos! it ends in the middle in "list", after 48 characters'],
  ],
  ['the tags of Qwen Coder', `<tools>\n${readIt}\n</tools>`, [a]],
  [
    'Qwen Coder',
    '<tool_call>\n<function=create_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\n<b>\n  "x"\n</b>\n\n</parameter>\n</function>\n</tool_call>',
    ['create_file {"path":"a.txt","content":"<b>\\n  \\"x\\"\\n</b>\\n"}'],
  ],
  [
    'Qwen Coder, without the outer tag',
    'Now.\n<function=read_file>\n<parameter=path>a.txt</parameter>\n</function>',
    ['"Now."', a],
  ],
  [
    'MiniMax',
    '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a.txt</parameter>\n</invoke>\n</function_calls>',
    [a],
  ],
  ['GLM', '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>', [a]],
  ['Llama, with its function tag', '<function=read_file>{"path": "a.txt"}</function>', [a]],
  ['Llama, with its token', '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.txt"}}<|eom_id|>', [a]],
  ['Llama, plain', '{"name": "read_file", "parameters": {"path": "a.txt"}}', [a]],
  [
    'Llama, plain and several',
    '{"name": "read_file", "parameters": {"path": "a.txt"}}; {"name": "read_file", "parameters": {"path": "b.txt"}}',
    [a, b],
  ],
  ['plain after words', `Let me look at it.\n\n${readIt}\n`, ['"Let me look at it."', a]],
  ['plain, as OpenAI has it', `{"type": "function", "function": ${readIt}}`, [a]],
  ['a plain list', `[${readIt}, ${readB}]`, [a, b]],
  ['nothing but a fence', `\`\`\`json\n${readIt}\n\`\`\``, [a]],
  ['nothing but a fence with tags in it', `\`\`\`xml\n<tool_call>\n${readIt}\n</tool_call>\n\`\`\``, [a]],
  ['Mistral', `[TOOL_CALLS] [${readIt}, ${readB}]`, [a, b]],
  [
    'Mistral, newer',
    '[TOOL_CALLS]read_file[ARGS]{"path": "a.txt"}[TOOL_CALLS]read_file[CALL_ID]abc123[ARGS]{"path": "b.txt"}',
    [a, b],
  ],
  ['Granite', `<|tool_call|>[${readIt}]`, [a]],
  ['Granite, older', `<tool_call>[${readIt}]`, [a]],
  ['Phi', `<|tool_call|>[${readIt}]<|/tool_call|>`, [a]],
  [
    'DeepSeek',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "a.txt"}\n```<｜tool▁call▁end｜>\n' +
      '<｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "b.txt"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    [a, b],
  ],
  [
    'DeepSeek, newer',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a.txt"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [a],
  ],
  [
    'a closer and an opener inside an argument',
    '<tool_call>{"name": "create_file", "arguments": {"path": "a", "content": "</tool_call><tool_call>{"}}</tool_call>',
    ['create_file {"path":"a","content":"</tool_call><tool_call>{"}'],
  ],
  ['a tool that is not there, in tags', '<tool_call>{"name": "fly", "arguments": {"to": 1}}</tool_call>', ['fly {"to":1}']],
  [
    'results that the model makes up',
    `<tool_call>${readIt}</tool_call>\n<tool_response>\nalpha\n</tool_response>\nIt says alpha.`,
    [a],
  ],
];

const texts: [string, string][] = [
  ['a tool that is not there, plain', '{"name": "fly", "parameters": {}}'],
  ['an example in a fence', `A call looks like this:\n\n\`\`\`json\n${readIt}\n\`\`\``],
  ['an example in a fence with tags', `Like this:\n\`\`\`\n<tool_call>\n${readIt}\n</tool_call>\n\`\`\`\nThat reads it.`],
  ['a fence that is explained after it', `\`\`\`json\n${readIt}\n\`\`\`\n\nThis reads the file.`],
  ['plain JSON that is explained after it', `${readIt}\n\nThis reads the file.`],
  ['inline code', `Write \`<tool_call>${readIt}</tool_call>\` for it.`],
  ['a sentence with tags', `You would write <tool_call>${readIt}</tool_call> for it.`],
  ['a sentence that begins with tags', `<tool_call>${readIt}</tool_call> is what you write.`],
  ['a sentence with plain JSON', `The call ${readIt} reads it.`],
  ['a sentence that begins with plain JSON', `${readIt} reads it.`],
  ['a quotation', `> <tool_call>${readIt}</tool_call>`],
  ['indented code', `    <tool_call>${readIt}</tool_call>`],
  ['other JSON', '{"name": "my-app", "version": "1.0.0", "scripts": {"a": 1}}'],
  ['other JSON with a tool in it', `{"calls": [${readIt}]}`],
  ['a list of numbers', '[1, 2, 3]'],
  ['the word alone', 'The <tool_call> tag begins a call, [TOOL_CALLS] too.'],
  ['the tag at the beginning of a line', '<tool_call> is the tag that begins a call in this model.'],
  ['HTML and generics', '<div>\n<toolbar>{ x }</toolbar>\n</div> Map<string, [number]>'],
  ['a link after a list', '- [one](a.md)\n- [two](b.md)\n\n[three](c.md)'],
  ['code of another kind first', '```ts\nconst a = { b: [1] };\n```\nFine.'],
];

const flawed: [string, string, boolean, string[]][] = [
  [
    'a bracket missing',
    '<tool_call>{"name": "read_file", "arguments": {"path": "a.txt"}</tool_call>',
    false,
    [`${a} (a "}" was missing at the end)`],
  ],
  [
    'two brackets and the closer missing',
    '<tool_call>{"name": "read_file", "arguments": {"path": "a.txt"',
    false,
    [`${a} (a "}" was missing at the end)`],
  ],
  [
    'the same, cut off by a limit',
    '<tool_call>{"name": "read_file", "arguments": {"path": "a.txt"',
    true,
    ['read_file! it ends in the middle in "arguments", after 51 characters'],
  ],
  [
    'cut off in a text',
    '<tool_call>{"name": "create_file", "arguments": {"path": "a.txt", "content": "one\\ntw',
    false,
    ['create_file! it ends in the middle in "content", after 74 characters'],
  ],
  [
    'plain and cut off in a text',
    '{"name": "create_file", "parameters": {"path": "a.txt", "content": "one',
    true,
    ['create_file! it ends in the middle in "content", after 71 characters'],
  ],
  [
    'cut off in XML',
    '<tool_call>\n<function=create_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\none',
    true,
    ['create_file! it ends in the middle in "content", after 82 characters'],
  ],
  [
    'line breaks in a text',
    '<tool_call>{"name": "create_file", "arguments": {"path": "a", "content": "one\ntwo"}}</tool_call>',
    false,
    ['create_file {"path":"a","content":"one\\ntwo"} (line breaks inside a string)'],
  ],
  [
    'Python',
    "<tool_call>{'name': 'update_todos', 'arguments': {'done': True, 'x': None,}}</tool_call>",
    false,
    ['update_todos {"done":true,"x":null} (single quotes, True instead of true, None instead of null, an extra comma)'],
  ],
  [
    'names without quotes',
    '<tool_call>{name: "read_file", arguments: {path: "a.txt"}}</tool_call>',
    false,
    [`${a} (names without quotes)`],
  ],
  [
    'single backslashes',
    '<tool_call>{"name": "read_file", "arguments": {"path": "src\\app\\d.ts"}}</tool_call>',
    false,
    ['read_file {"path":"src\\\\app\\\\d.ts"} (an unescaped backslash)'],
  ],
  [
    'quotes that are not escaped',
    '<tool_call>{"name": "create_file", "arguments": {"path": "a", "content": "say "hi" now"}}</tool_call>',
    false,
    [
      'create_file! it is not valid JSON: a "," or "}" was expected at line 1, column 69, but there is "hi\\" now\\"}}" (after "\\", \\"content\\": \\"say \\"")',
    ],
  ],
  [
    'a number with a zero before it',
    '<tool_call>{"name": "read_file", "arguments": {"path": "a", "startLine": 05}}</tool_call>',
    false,
    [
      'read_file! it is not valid JSON: a value was expected at line 1, column 63, but there is "05}}" (after ": \\"a\\", \\"startLine\\": ")',
    ],
  ],
  ['no name', '<tool_call>{"path": "a.txt"}</tool_call>', false, ['tool call! it has no "name"']],
  [
    'arguments that are none',
    '<tool_call>{"name": "read_file", "arguments": ["a.txt"]}</tool_call>',
    false,
    ['read_file! its "arguments" must be a JSON object'],
  ],
  ['nothing after the token', 'Now.\n[TOOL_CALLS]', false, ['"Now."', 'tool call! there is nothing in it']],
];

describe('calls that a model prints as text', () => {
  for (const size of [1, 3, 10_000]) {
    describe(`in pieces of ${size}`, () => {
      for (const [title, text, seen] of forms) it(title, () => assert.deepEqual(parse(text, size), seen));
      for (const [title, text] of texts)
        it(`${title} stays text`, () => assert.deepEqual(parse(text, size), asText(text.trim())));
      for (const [title, text, isCutOff, seen] of flawed) it(title, () => assert.deepEqual(parse(text, size, isCutOff), seen));
    });
  }

  it('no character of a call is shown while it comes, and what is prepared is told', () => {
    for (const [, text] of forms) {
      const parser = new ToolCallParser((name) => tools.includes(name));
      const pieces = [...text].flatMap((one) => parser.push(one));
      pieces.push(...parser.flush());
      const shown = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
      assert.doesNotMatch(shown, /[{<[]|path/, text);
      assert.ok(
        pieces.some(({ kind }) => kind === 'call'),
        text,
      );
    }
    const parser = new ToolCallParser((name) => tools.includes(name));
    const told = [...`<tool_call>\n${readIt}\n</tool_call>`]
      .flatMap((one) => parser.push(one))
      .filter(({ kind }) => kind === 'preparing');
    assert.deepEqual(told, [
      { kind: 'preparing', name: null },
      { kind: 'preparing', name: 'read_file' },
    ]);
  });

  it('ordinary JSON is shown as soon as it cannot be a call', () => {
    const parser = new ToolCallParser((name) => tools.includes(name));
    const shown = [...'{"name": "my-app", "ver'].flatMap((one) => parser.push(one));
    assert.equal(shown.map((piece) => (piece.kind === 'text' ? piece.text : '')).join(''), '{"name": "my-app", "ver');
  });

  it('an argument of two megabytes costs no more than its length', () => {
    const content = 'line of text with "quotes" and <tags> {}\n'.repeat(50_000);
    const text = `<tool_call>${JSON.stringify({ name: 'create_file', arguments: { path: 'a', content } })}</tool_call>`;
    const parser = new ToolCallParser((name) => tools.includes(name));
    const pieces: AnswerPiece[] = [];
    for (let at = 0; at < text.length; at += 4) pieces.push(...parser.push(text.slice(at, at + 4)));
    pieces.push(...parser.flush());
    const [call] = pieces.filter((piece) => piece.kind === 'call');
    assert.ok(call?.kind === 'call' && call.call.input['content'] === content);
  });

  it('without tools everything is text', () => {
    const parser = new ToolCallParser(null);
    const pieces = [...parser.push(`<tool_call>${readIt}`), ...parser.push('</tool_call>'), ...parser.flush()];
    assert.deepEqual(
      pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join(''),
      `<tool_call>${readIt}</tool_call>`,
    );
  });
});
