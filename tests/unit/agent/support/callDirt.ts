import { dialects } from './callDialects';
import { json, python, type ExampleCall } from './writeCalls';

/** Mistake of models when they write calls. */
export interface Dirt {
  name: string;
  /** True if values are written as text, so that numbers and strings look the same. */
  isUntyped: boolean;
  /** True if the mistake makes all calls of an answer unreadable; otherwise only the last. */
  isInAll: boolean;
  write: (calls: readonly ExampleCall[]) => string;
}

type Write = (call: ExampleCall) => string;

const dialect = (name: string): { write: (calls: readonly ExampleCall[]) => string; isUntyped?: boolean } => {
  const found = dialects.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no dialect ${name}`);
  return found;
};

/** Builds a mistake in the last call of an answer. */
function slip(name: string, of: string, spoil: (written: string, call: ExampleCall) => string): Dirt {
  const { write, isUntyped = false } = dialect(of);
  return { name, isUntyped, isInAll: false, write: (calls) => inLast(calls, (call) => write([call]), spoil) };
}

/** Builds a mistake in the text of a whole answer. */
function whole(name: string, of: string, spoil: (written: string) => string): Dirt {
  const { write, isUntyped = false } = dialect(of);
  return { name, isUntyped, isInAll: true, write: (calls) => spoil(write(calls)) };
}

function inLast(calls: readonly ExampleCall[], write: Write, spoil: (written: string, call: ExampleCall) => string): string {
  return calls.map((call, at) => (at === calls.length - 1 ? spoil(write(call), call) : write(call))).join('\n');
}

const hermes = 'Hermes and Qwen';
/** Writes a call between Hermes tags, with a body in another form. */
const body = (write: Write) => (_: string, call: ExampleCall) => `<tool_call>\n${write(call)}\n</tool_call>`;
const spoiled = (spoil: (text: string) => string) => body((call) => spoil(json(call)));
/** Truncates a text within its last word, so that it is clearly incomplete. */
const cut = (text: string): string => text.replace(/\w\W*$/, '');
const cutParameter = (text: string): string => text.slice(0, text.lastIndexOf('</') - 2);

/** Mistakes in calls. */
export const dirts: readonly Dirt[] = [
  slip('no closing tag', hermes, (text) => text.replace('</tool_call>', '')),
  slip('another closing tag', hermes, (text) => text.replace('</tool_call>', '</tools>')),
  slip('a closing tag that is misspelt', hermes, (text) => text.replace('</tool_call>', '</tool_cal>')),
  slip('the opening tag twice', hermes, (text) => text.replace('<tool_call>', '<tool_call>\n<tool_call>')),
  slip('words before it and no closing tag', hermes, (text) => `I will do it: ${text.replace('</tool_call>', '')}`),
  slip(
    'no last bracket',
    hermes,
    spoiled((text) => text.slice(0, -1)),
  ),
  slip(
    'a bracket too many',
    hermes,
    spoiled((text) => `${text}}`),
  ),
  slip(
    'an extra comma',
    hermes,
    spoiled((text) => text.replace(/\}\}$/, ',}}').replace('{,}', '{}')),
  ),
  slip(
    'single quotes and Python constants',
    hermes,
    body((call) => python({ name: call.name, arguments: call.arguments })),
  ),
  slip(
    'names without quotes',
    hermes,
    spoiled((text) => text.replace('"name":', 'name:').replace('"arguments":', 'arguments:')),
  ),
  slip(
    'line breaks inside texts',
    hermes,
    spoiled((text) => text.replaceAll(/\\([\\nt])/g, (escape, sign: string) => ({ n: '\n', t: '\t' })[sign] ?? escape)),
  ),
  slip(
    'quotes inside texts that are not escaped',
    hermes,
    spoiled((text) => text.replaceAll('\\"', '"')),
  ),
  slip(
    'typographic quotes',
    hermes,
    spoiled((text) => text.replaceAll(/(?<!\\)"(?=[\w.-]+":)/g, '“').replaceAll('":', '”:')),
  ),
  slip(
    'no comma after the name',
    hermes,
    spoiled((text) => text.replace('", "arguments"', '" "arguments"').replace('","arguments"', '" "arguments"')),
  ),
  slip(
    'an equals sign for a colon',
    hermes,
    spoiled((text) => text.replace('"name":', '"name"=')),
  ),
  slip(
    'a comment',
    hermes,
    spoiled((text) => text.replace('"arguments":', '// what it is called with\n"arguments":')),
  ),
  slip(
    'arguments beside the name',
    hermes,
    body((call) => (call.arguments['name'] === undefined ? JSON.stringify({ name: call.name, ...call.arguments }) : json(call))),
  ),
  slip(
    'arguments as a text that is not escaped',
    hermes,
    body(({ name, arguments: given }) => `{"name": "${name}", "arguments": "${JSON.stringify(given)}"}`),
  ),
  slip(
    'a fence inside the tags',
    hermes,
    body((call) => `\`\`\`json\n${json(call)}\n\`\`\``),
  ),
  slip('an end in the middle', hermes, (_, call) => `<tool_call>\n${cut(json(call))}`),
  slip(
    'a needed argument left out',
    hermes,
    body(({ name, arguments: given }) => json({ name, arguments: Object.fromEntries(Object.entries(given).slice(1)) })),
  ),
  slip('no end of a parameter', 'Qwen Coder', (text) => text.replaceAll('</parameter>\n', '')),
  slip('no end of a function', 'Qwen Coder', (text) => text.replace('</function>\n', '')),
  slip('no end of a function and of the call', 'Qwen Coder', (text) => text.replace('\n</function>\n</tool_call>', '')),
  slip('an end in the middle of a parameter', 'Qwen Coder', (text) =>
    cutParameter(text.replace('\n</function>\n</tool_call>', '')),
  ),
  slip('no end of an argument', 'GLM', (text) => text.replaceAll('</arg_value>', '')),
  {
    name: 'no comma after the name, in each call',
    isUntyped: false,
    isInAll: true,
    write: (calls) =>
      calls.map((call) => `<tool_call>${json(call).replace('","arguments"', '" "arguments"')}</tool_call>`).join('\n'),
  },
  whole('no end of the list', 'Mistral', (text) => text.replace(']</s>', '')),
  whole('no comma between calls of a list', 'Mistral', (text) => text.replaceAll('}, {', '} {')),
  whole('no last tokens', 'DeepSeek', (text) => text.replace('<｜tool▁call▁end｜><｜tool▁calls▁end｜>', '')),
  whole('no end of the message', 'Llama', (text) => text.replace(/\}<\|eom_id\|>$/, '')),
];
