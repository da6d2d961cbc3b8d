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
      name: '2026-01-31',
      model: '1.10',
      'user-invocable': 'false',
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
  [
    'a colon in a text that begins in the next line',
    ['name: a', 'description:', '  Asks hard questions.', '  Belongs to the release steps: run it last.', 'allowed-tools: Read'],
    { name: 'a', description: 'Asks hard questions. Belongs to the release steps: run it last.', 'allowed-tools': 'Read' },
  ],
  [
    'a colon in a text that goes on',
    ['description: Steps: one', '  two: three', 'name: a'],
    { description: 'Steps: one two: three', name: 'a' },
  ],
  [
    'tabs for indentation',
    ['description: >', '\tLooks for', '\tfaults', 'tools:', '\t- read', '\t- edit'],
    { description: 'Looks for faults', tools: 'read,edit' },
  ],
  ['a tab after the colon', ['description:\tUse this: now', 'name:\ta'], { description: 'Use this: now', name: 'a' }],
  ['an apostrophe in quotes', ["description: 'Don't stop'", 'name: a'], { description: "Don't stop", name: 'a' }],
  ['text after quotes', ['description: "Fast" and cheap', 'name: a'], { description: '"Fast" and cheap', name: 'a' }],
  [
    'a literal text beside what is broken',
    ['description: |', '  One: two', '  Three', 'model: a: b'],
    { description: 'One: two\nThree', model: 'a: b' },
  ],
  ['a list with a colon', ['tools:', '  - read: all', "  - it's: 'x"], { tools: "read: all,it's: 'x" }],
  ['no space after the colon', ['description:Reads', 'name: a'], { description: 'Reads', name: 'a' }],
  [
    'an address in the next line',
    ['description: See: this', 'https://example.com/a', 'name: a'],
    { description: 'See: this https://example.com/a', name: 'a' },
  ],
  ['the same indentation everywhere', ['  name: a', '  description: Use: it'], { name: 'a', description: 'Use: it' }],
  ['an anchor', ['model: &m a', 'name: *m'], { model: 'a', name: 'a' }],
  ['an alias without an anchor', ['description: *bold* text', 'name: a'], { description: '*bold* text', name: 'a' }],
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

  it('has lists of fields whose texts have colons', async () => {
    const lines = [
      'description: Reads only: never edits',
      'handoffs:',
      '  - label: Fix: now',
      '    agent: agent',
      '    prompt: |',
    ];
    const { lists, fields } = await readFrontMatter(
      ['---', ...lines, '      Do: it: all', "    send: it's: so", '---', ''].join('\n'),
    );
    assert.deepEqual(fields['description'], 'Reads only: never edits');
    assert.deepEqual(lists['handoffs'], [{ label: 'Fix: now', agent: 'agent', prompt: 'Do: it: all', send: "it's: so" }]);
  });

  it('says whether all of it was read', async () => {
    const texts: [string, boolean][] = [
      ['No front matter', true],
      ['---\n\nA line, then text: more\n', true],
      ['---\nname: a\n# Title', false],
      ['---\r\n# A comment\r\nname: a\r\n', false],
      ['---\nname: a: b\n---\n', true],
      ['\uFEFF--- \nname: a\n--- \n', true],
      ['---\nJust words: that go\non\n- and on\nname: a: b\n---\n', false],
    ];
    for (const [text, isComplete] of texts) assert.equal((await readFrontMatter(text)).isComplete, isComplete, text);
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
