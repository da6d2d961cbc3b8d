import assert from 'node:assert/strict';
import { readFrontMatter } from '../../../src/services/instructions/frontMatter';

/** Lines between the `---` lines, and the expected fields. */
const cases: [what: string, lines: string[], fields: Record<string, string>][] = [
  ['folded text', ['description: >-', '  Looks for', '  faults', 'name: a'], { description: 'Looks for faults', name: 'a' }],
  ['text of several lines', ['description: |', '  One', '  Two: three', ''], { description: 'One\nTwo: three' }],
  ['text that goes on in the next line', ['description: One', '  two'], { description: 'One two' }],
  ['comments', ['# All of it', 'name: a # for short', "model: 'b # c' # d"], { name: 'a', model: 'b # c' }],
  ['a list with braces', ['applyTo: ["**/*.{ts,tsx}", "lib/**"] # all'], { applyTo: '**/*.{ts,tsx},lib/**' }],
  ['a list over several lines', ['tools:', '  [', "    'read', # first", '    edit,', '  ]'], { tools: 'read,edit' }],
  ['a list with dashes', ['tools:', "- 'read'", '- srv/look # MCP'], { tools: 'read,srv/look' }],
  ['quotes', ["name: 'it''s'", 'model: "a \\u00e4"'], { name: "it's", model: 'a ä' }],
  [
    'values that are no texts',
    ['name: 2026-01-31', 'model: 1.10', 'user-invocable: false'],
    {
      ...{ name: '2026-01-31', model: '1.10', 'user-invocable': 'false' },
    },
  ],
  ['an empty value', ['model:', 'name: a'], { model: '', name: 'a' }],
  ['a field twice', ['name: a', 'name: b'], { name: 'b' }],
  ['a glob without quotes', ['applyTo: **/*.{ts,tsx},lib/**', 'name: a # b'], { applyTo: '**/*.{ts,tsx},lib/**', name: 'a' }],
  ['a list of globs without quotes', ['applyTo: [**/*.{ts,tsx}, "lib/**"]'], { applyTo: '**/*.{ts,tsx},lib/**' }],
  [
    'a colon in a text',
    ['description: Use this: it is good # yes', 'name: a'],
    { description: 'Use this: it is good', name: 'a' },
  ],
  ['a sign that YAML keeps', ['description: `a` and @b', 'name: a'], { description: '`a` and @b', name: 'a' }],
  ['what is broken beside what is not', ['tools: ["a', 'name: b'], { tools: '["a', name: 'b' }],
  ['no fields', ['just words'], {}],
  ['a name of the language', ['__proto__: x', 'name: a'], { ['__proto__']: 'x', name: 'a' }],
];

describe('Front matter', () => {
  for (const [what, lines, fields] of cases) {
    it(`with ${what} is read, with either end of line`, async () => {
      for (const end of ['\n', '\r\n']) {
        const read = await readFrontMatter(['---', ...lines, '---', 'Body', '---', ''].join(end));
        assert.deepEqual(Object.entries(read.fields), Object.entries(fields));
        assert.equal(read.body, ['Body', '---', ''].join(end));
      }
    });
  }

  it('has lists of fields, whose texts may have several lines', async () => {
    const lines = [
      'handoffs:',
      '  - label: "Mend: all" # now',
      '    prompt: >',
      '      Mend what',
      '      you found.',
      '    send: true',
    ];
    const { lists, fields } = await readFrontMatter(['---', ...lines, '  - { label: Test, agent: b }', '---', ''].join('\n'));
    assert.deepEqual(lists['handoffs'], [
      { label: 'Mend: all', prompt: 'Mend what you found.', send: 'true' },
      { label: 'Test', agent: 'b' },
    ]);
    assert.equal(fields['handoffs'], '');
  });

  it('that refers to itself a billion times is left out', async () => {
    const names = [...'abcdefgh'];
    const lines = names.map(
      (name, at) =>
        `${name}: &${name} [${
          at === 0
            ? 'x'
            : Array(9)
                .fill(`*${names[at - 1]}`)
                .join(',')
        }]`,
    );
    const { body } = await readFrontMatter(['---', ...lines, '---', 'Body'].join('\n'));
    assert.equal(body, 'Body');
  });
});
