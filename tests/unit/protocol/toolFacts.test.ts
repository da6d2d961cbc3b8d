import assert from 'node:assert/strict';
import type { EntryInput } from '../../../src/protocol/entries';
import { readFacts } from '../../../src/protocol/legacyTools';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import type { ToolFacts } from '../../../src/protocol/toolFacts';
import { toFields } from '../../../src/services/database/log/entryFields';
import { toEntry } from '../../../src/services/database/log/entryRows';
import { entries } from '../../support/entries';

const titles = {
  done: 'Counted {0}',
  running: 'Counting {0}',
  planned: 'Count {0}',
  failed: 'Could not count {0}',
  stopped: 'Did not count {0}',
};
const counting: ToolFacts = { family: 'search', effect: 'none', titles, about: { kind: 'file', argument: 'file' } };

const callOf = (callId: string, name: string, facts?: ToolFacts): EntryInput => ({
  type: 'tool_call',
  data: { callId, name, input: { file: 'a.txt' }, ...(facts && { facts }) },
});

describe('the facts of a tool in its calls', () => {
  const identity = { id: 'e', session_id: 's', seq: 1, revision: 1, timestamp: 1, is_open: 0 as const, checksum: null };
  const stored = (facts: unknown) => {
    const entry = toEntry({ ...identity, ...toFields(callOf('c', 'count_lines', facts as ToolFacts)) });
    assert.equal(entry.type, 'tool_call');
    return entry.data;
  };

  it('come back as they were stored', () => {
    assert.deepEqual(stored(counting).facts, counting);
  });

  it('are left out, and the call is kept, where they are not what they should be', () => {
    const titled = (done: string) => ({ ...counting, titles: { ...titles, done } });
    for (const facts of [
      titled(''),
      titled('x'.repeat(121)),
      titled('Read {0}\nApproved'),
      titled('Read \u202e{0}'),
      titled('Read\u2028{0}'),
      { ...counting, several: { done: 'x'.repeat(10_000), running: 'y' } },
      { ...counting, titles: { done: 'Counted {0}' } },
      { ...counting, about: { kind: 'file', argument: 'x'.repeat(61) } },
      { ...counting, family: 'magic' },
      { ...counting, effect: undefined },
      { ...counting, details: '<b>' },
      'facts',
      null,
    ]) {
      const { name, input, facts: kept } = stored(facts);
      assert.deepEqual([name, input, kept], ['count_lines', { file: 'a.txt' }, undefined], JSON.stringify(facts));
    }
  });

  it('say what stands together, whatever the tool is called', () => {
    const input: EntryInput = { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } };
    const find = callOf('b', 'find_files');
    const asCommand = { ...counting, family: 'command' } as const;
    const log = entries(input, callOf('a', 'count_lines', counting), find, callOf('c', 'read_file', asCommand));
    const groups = reduceTimeline(log, { isLive: false }).turns[0]?.blocks.map((block) =>
      block.kind === 'toolGroup' ? [block.family, block.actions.map(({ name, facts }) => `${name} ${facts?.family ?? '-'}`)] : [],
    );
    assert.deepEqual(groups, [
      ['search', ['count_lines search', 'find_files -']],
      ['command', ['read_file command']],
    ]);
  });

  it('are known of the tools of old, and of no other', () => {
    const kindOf = (name: string) => [
      readFacts({ name }).family,
      readFacts({ name }).effect,
      readFacts({ name }).about?.kind ?? null,
    ];
    assert.deepEqual(
      ['read_file', 'delete_file', 'run_terminal_command', 'list_files', 'search_codebase', 'ask_user'].map(kindOf),
      [
        ['read', 'none', 'file'],
        ['edit', 'files', 'removedFile'],
        ['command', 'command', null],
        ['search', 'none', 'place'],
        ['search', 'none', null],
        ['other', 'none', null],
      ],
    );
    for (const name of ['Bash', 'toString', '__proto__']) assert.deepEqual(kindOf(name), ['other', 'outside', null]);
    assert.deepEqual(kindOf('edit_file'), ['other', 'outside', 'file']);
    assert.deepEqual(readFacts({ name: 'read_file', facts: counting }), counting);
  });
});
