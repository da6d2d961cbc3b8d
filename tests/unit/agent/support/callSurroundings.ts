import type { Dialect, ExampleCall } from './writeCalls';

interface Surrounding {
  name: string;
  wrap: (call: string) => string;
  /** Expected remaining text. Each run of white space is one space. */
  text: string;
}

/** Calls whose arguments resemble the form around them. */
export const values: readonly (readonly ExampleCall[])[] = [
  [{ name: 'read_file', arguments: { path: 'src/a.ts' } }],
  [
    { name: 'read_file', arguments: { path: 'src/a.ts' } },
    { name: 'read_file', arguments: { path: 'docs/über uns.md' } },
  ],
  [
    {
      name: 'create_file',
      arguments: { path: 'a.ts', content: "const a = { b: ['x', \"y\"] };\nif (a < 1 && b > 2) {\n\treturn '\\\\n';\n}" },
    },
  ],
  [{ name: 'create_file', arguments: { path: 'a.html', content: '<div class="a">\n  <b>1, 2) [3]</b>\n</div>' } }],
  [
    {
      name: 'run_terminal_command',
      arguments: { command: 'npm test -- --grep "a b" | tail -5', timeout: 30, background: false },
    },
  ],
  [{ name: 'list_todos', arguments: {} }],
];

const plain = (name: string, before: string, after = ''): Surrounding => ({
  name,
  wrap: (call) => `${before}${call}${after}`,
  text: `${before} ${after}`.replaceAll(/\s+/g, ' ').trim(),
});

/** Returns texts around a call in this dialect that must run. */
export function surroundings({ kind }: Dialect): Surrounding[] {
  const all = [
    plain('alone', ''),
    plain('with blank lines around it', '\n\n', '\n\n'),
    plain('after a paragraph', 'Let me look at the file.\n\n'),
    { name: 'after thinking', wrap: (call: string) => `<think>I should look.</think>\n${call}`, text: '' },
    {
      name: 'after thinking with thinking in it',
      wrap: (call: string) => `<think>Hm, <think>a file?</think> I look.</think>\n\n${call}`,
      text: '',
    },
  ];
  if (kind === 'bare') return all;
  const inLine = [
    plain('after a sentence, on its line', "Sure! I'll check.", '\n'),
    plain('after words with a colon', 'I will read it: '),
    plain('after words', 'Let me check '),
    ...(kind === 'word' ? [] : [plain('after a word without a blank', 'Okay')]),
    plain('after a list item', '1. Look.\n2. I call the tool now '),
  ];
  const after = [plain('before a paragraph', 'Now.\n', '\n\nThen I tell you what it says.')];
  const around = [plain('between words', 'Let me check ', ' and then I go on.')];
  return kind === 'token' ? [...all, ...inLine, ...after, ...around] : [...all, ...inLine, ...after];
}

/** Returns texts around a call in this dialect that is only an example. */
export function quotations(dialect: Dialect): Omit<Surrounding, 'text'>[] {
  const call = dialect.write(values[0] ?? []);
  const isOneLine = !call.includes('\n');
  const hasFence = call.includes('```');
  const inFences = [
    {
      name: 'in a fence that is explained',
      wrap: (one: string) => `A call looks like this:\n\n\`\`\`\n${one}\n\`\`\`\n\nIt reads a file.`,
    },
    { name: 'in a tilde fence', wrap: (one: string) => `For example:\n~~~text\n${one}\n~~~\nThat is all.` },
    { name: 'in a longer fence', wrap: (one: string) => `The form:\n\n\`\`\`\`md\n${one}\n\`\`\`\`\n\nDone.` },
    { name: 'in a fence at the end', wrap: (one: string) => `The model would print this:\n\`\`\`\`\n${one}\n\`\`\`\`` },
    {
      name: 'in a fence of a list',
      wrap: (one: string) => `- A call:\n\n  ~~~\n  ${one.replaceAll('\n', '\n  ')}\n  ~~~\n\n- Its result.`,
    },
    {
      name: 'in indented code',
      wrap: (one: string) => `It is written so:\n\n    ${one.replaceAll('\n', '\n    ')}\n\nand nothing else.`,
    },
    { name: 'in a quotation', wrap: (one: string) => `The log says:\n> ${one.replaceAll('\n', '\n> ')}\n\nThat failed.` },
  ];
  const inLine = [
    { name: 'in inline code', wrap: (one: string) => `Write \`${one}\` for it.` },
    { name: 'in inline code at the end', wrap: (one: string) => `The call is \`\`${one}\`\`` },
    { name: 'in quotation marks', wrap: (one: string) => `The model prints “${one}” and waits.` },
    { name: 'in straight quotation marks', wrap: (one: string) => `The model prints "${one}"` },
  ];
  const inProse = [
    { name: 'in a sentence', wrap: (one: string) => `You would write ${one} for it.` },
    { name: 'at the end of a sentence that shows it', wrap: (one: string) => `You would write ${one}` },
    { name: 'at the beginning of a sentence', wrap: (one: string) => `${one} is what you write.` },
    { name: 'as an example', wrap: (one: string) => `A call looks like this:\n${one}\nThe server answers it.` },
  ];
  return [
    ...(hasFence ? inFences.slice(1) : inFences),
    ...(isOneLine && !hasFence ? inLine : []),
    ...(dialect.kind === 'token' ? [] : inProse),
  ];
}
