import assert from 'node:assert/strict';
import { parseCalls as parse } from './support/parseCalls';

const readIt = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
const readB = '{"name": "read_file", "arguments": {"path": "b.txt"}}';
const a = 'read_file {"path":"a.txt"}';
const b = 'read_file {"path":"b.txt"}';
const createA = 'create_file {"path":"a.txt","content":"one\\ntwo"}';
const missingEnd = ' (a "</parameter>" was missing)';
const forms: [string, string, string[]][] = [
  ['after words with a colon', `I will read it: <tool_call>${readIt}</tool_call>`, ['"I will read it:"', a]],
  ['after words', `Let me check <tool_call>${readIt}</tool_call>\n<tool_call>${readB}</tool_call>\n`, ['"Let me check"', a, b]],
  ['a token after a word', `Okay[TOOL_CALLS][${readIt}]`, ['"Okay"', a]],
  ['a token before words', `[TOOL_CALLS][${readIt}] I wait.`, [a, '"I wait."']],
  [
    'a call that cannot be read, after one in a line',
    `I do both: <tool_call>${readIt}</tool_call>\n<tool_call>{"name": "read_file", "arguments": [1]}</tool_call>`,
    ['"I do both:"', a, 'read_file! its "arguments" must be a JSON object'],
  ],
  ['a fence after words that announce it', `I'll read it now:\n\n\`\`\`json\n${readIt}\n\`\`\``, ['"I\'ll read it now:"', a]],
  ['a fence behind words that announce it', `Let me read it: \`\`\`json\n${readIt}\n\`\`\``, ['"Let me read it:"', a]],
  ['plain JSON behind words that announce it', `I will read it: ${readIt}`, ['"I will read it:"', a]],
  ['Python in a fence', '```tool_code\nread_file(path="a.txt")\n```', [a]],
  [
    'Qwen Coder, without the end of an argument',
    '<tool_call>\n<function=create_file>\n<parameter=path>\na.txt\n<parameter=content>\none\ntwo\n</parameter>\n</function>\n</tool_call>',
    [createA + missingEnd],
  ],
  [
    'Qwen Coder, without the end of the last argument',
    '<tool_call>\n<function=create_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\none\ntwo\n</function>\n</tool_call>\n' +
      '<tool_call>\n<function=read_file>\n<parameter=path>\nb.txt\n</parameter>\n</function>\n</tool_call>',
    [createA + missingEnd, b],
  ],
  [
    'Qwen Coder, without any end of an argument',
    '<function=create_file>\n<parameter=path>\na.txt\n<parameter=content>\none\ntwo\n</function>',
    [createA + missingEnd],
  ],
  [
    'Qwen Coder, with its own form in an argument',
    '<function=create_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\n2\n</parameter>\n</parameter>\n</function>',
    ['create_file {"path":"a.txt","content":"<parameter=a>\\n1\\n</parameter>\\n<parameter=b>\\n2\\n</parameter>"}'],
  ],
  [
    'MiniMax, with its own tag and without the end of an argument',
    '<minimax:tool_call>\n<invoke name="create_file">\n<parameter name="path">a.txt<parameter name="content">one\ntwo</parameter>\n</invoke>\n</minimax:tool_call>',
    [createA + missingEnd],
  ],
  [
    'Seed, with its own tag',
    'Now.\n<seed:tool_call>\n<function=read_file>\n<parameter=path>a.txt</parameter>\n</function>\n</seed:tool_call>',
    ['"Now."', a],
  ],
  ['Python with long texts', "<|python_start|>[read_file(path='''a.txt'''), read_file(path=r\"b.txt\")]<|python_end|>", [a, b]],
  [
    'Python with three quotes inside a text',
    `[create_file(path='a.py', content='def f():\\n    """Doc."""\\n    pass')]`,
    ['create_file {"path":"a.py","content":"def f():\\n    \\"\\"\\"Doc.\\"\\"\\"\\n    pass"}'],
  ],
  ['Python whose bracket is missing', '[read_file(path="a.txt")', [a]],
  [
    'a name that begins as those of gpt-oss do',
    '[TOOL_CALLS]functions.read[ARGS]{"path": "a.txt"}',
    ['functions.read {"path":"a.txt"}'],
  ],
  ['Python with other letters in a name', '[read_file(path="a.txt", año=2024)]', ['read_file {"path":"a.txt","año":2024}']],
  ['Llama, with a method', '<|python_tag|>read_file.call(path="a.txt")', [a]],
  [
    'Python without the name of an argument',
    '[read_file("a.txt")]',
    ['read_file! "\\"a.txt\\"" needs the name of its argument, as in path="a.txt"'],
  ],
  [
    'gpt-oss, half of whose tokens are gone',
    'We read.<|start|>assistantcommentary to=functions.read_file json{"path": "a.txt"}<|call|>',
    ['"We read."', a],
  ],
];

const texts: [string, string][] = [
  ['a call in a sentence of a tool that is not there', 'I call <tool_call>{"name": "fly", "arguments": {"to": 1}}</tool_call>'],
  ['a tag that is mentioned before words', `Let me check <tool_call>${readIt}</tool_call> and then the rest.`],
  ['a call that words introduce as an example', `A call looks like this:\n<tool_call>${readIt}</tool_call>\nIt reads a file.`],
  ['a fence after words that explain', `Let me show how it looks:\n\`\`\`json\n${readIt}\n\`\`\``],
  ['a fence that words follow', `I will read it:\n\`\`\`json\n${readIt}\n\`\`\`\nThat is the call.`],
  ['a fence that begins behind words', `You would write \`\`\`json\n${readIt}\n\`\`\``],
  ['quotation marks', `The model prints “${readIt}” or "<tool_call>${readIt}</tool_call>" then.`],
  ['a token alone', 'Mistral begins a call with [TOOL_CALLS]'],
  ['other words that begin like a form', 'functools[0] is one, commentary to=all another.\nfunctools[{"name": "x"}]'],
  ['a link after a call that was shown', `\`${readIt}\` and [one](a.md)`],
];

/** Returns a function that computes from a method's result how many characters the method read. */
type Cost = (self: never, ...given: never[]) => (result: never) => number;

const all: Cost = (self: string) => () => self.length;
const costs: [object, string, Cost][] = [
  [
    RegExp.prototype,
    'exec',
    (self: RegExp, on: string) => {
      const from = self.global || self.sticky ? self.lastIndex : 0;
      return (found: RegExpExecArray | null) =>
        (found ? found.index + found[0].length : self.sticky ? from + 1 : on.length) - from;
    },
  ],
  [
    String.prototype,
    'indexOf',
    (self: string, what: string, from = 0) =>
      (at: number) =>
        (at < 0 ? self.length : at + what.length) - from,
  ],
  [String.prototype, 'replaceAll', all],
  [String.prototype, 'split', all],
];

/** Counts the characters that regular expressions and searches read during the parsing of an answer. */
function workOf(text: string, size: number): number {
  let work = 0;
  const restored = costs.map(([owner, name, cost]) => {
    const method = Reflect.get(owner, name) as (...given: unknown[]) => unknown;
    Reflect.set(owner, name, function (this: unknown, ...given: unknown[]) {
      const costOf = cost(this as never, ...(given as never[]));
      const result = method.apply(this, given);
      work += costOf(result as never);
      return result;
    });
    return () => Reflect.set(owner, name, method);
  });
  try {
    parse(text, size);
  } finally {
    for (const restore of restored) restore();
  }
  return work;
}

describe('the place and form of a printed call', () => {
  for (const size of [1, 3, 10_000]) {
    describe(`in pieces of ${size}`, () => {
      for (const [title, text, seen] of forms) it(title, () => assert.deepEqual(parse(text, size), seen));
      for (const [title, text] of texts)
        it(`${title} stays text`, () => assert.deepEqual(parse(text, size), [JSON.stringify(text.trim())]));
    });
  }

  it('is found with work that grows as the answer does', () => {
    const adverse = [
      '<',
      '<a ',
      '[x',
      '` ',
      '{"name": "a',
      '"a" commentary ',
      '<tool_call> ',
      '[TOOL_CALLS]{',
      '<parameter=a>',
      '\n```json\n',
      '<|tool_call>call:a{b:<|"|>',
      '[read_file(path="',
      '“',
    ];
    const starts = ['', `<tool_call>${readIt}</tool_call>`, '<function=create_file>'];
    for (const start of starts)
      for (const one of [...adverse, ' ', '\n'])
        for (const size of [7, 1_000_000]) {
          const [few, many] = [150, 600].map((times) => workOf(start + one.repeat(times), size)) as [number, number];
          assert.ok(many < 6 * few + 20_000, `${JSON.stringify([start, one, size])}: ${few} characters, then ${many}`);
        }
  });
});
