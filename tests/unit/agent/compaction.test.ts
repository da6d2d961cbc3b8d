import assert from 'node:assert/strict';
import { planCompaction } from '../../../src/agent/context/compaction';
import { ruleSentences, factSentences } from '../../../src/agent/context/ruleSentences';
import { factualSummary } from '../../../src/agent/context/factualSummary';
import type { EntryInput } from '../../../src/protocol/entries';
import { buildHistory } from '../../../src/protocol/history';
import { entries } from '../../support/entries';

const user = (content: string): EntryInput => ({ type: 'user_input', content, data: { mode: 'agent', attachments: [] } });
const answer = (content: string): EntryInput => ({ type: 'assistant_output', content, data: {} });
const call = (callId: string): EntryInput => ({
  type: 'tool_call',
  data: { callId, name: 'read_file', input: { path: `${callId}.txt` } },
});
const result = (callId: string, content: string): EntryInput => ({
  type: 'tool_result',
  content,
  data: { callId, name: 'read_file', status: 'success' },
});
const long = 'words '.repeat(200);

describe('What a summary stands for', () => {
  const turns = (count: number) =>
    Array.from({ length: count }, (_unused, index) => [
      user(`Do ${index}. Never use tabs${index}.`),
      call(`c${index}`),
      result(`c${index}`, long),
      answer(`Done ${index}. ${long}`),
    ]).flat();

  it('is the older part; messages stay word for word, newest first, and no call is parted from its result', () => {
    const log = entries(...turns(20));
    const plan = planCompaction(log, { conversation: 12_000, window: 20_000 });
    assert.ok(plan);
    const after = buildHistory(entries(...turns(20), plan.marker));
    const text = after.map(({ content }) => content).join('\n');
    for (let turn = 0; turn < 20; turn += 1) assert.ok(text.includes(`Never use tabs${turn}.`), String(turn));
    assert.ok(text.length < 12_000);
    assert.ok(text.includes('c19') || after.some(({ tool_call_id: id }) => id === 'c19'));
    for (const [at, { role, tool_calls: calls }] of after.entries())
      if (calls !== undefined) assert.deepEqual([role, after[at + 1]?.role], ['assistant', 'tool']);
    assert.equal(after.filter(({ role }) => role === 'tool').length, after.filter((one) => one.tool_calls !== undefined).length);
  });

  it('is nothing where everything is recent, and nothing twice', () => {
    assert.equal(planCompaction(entries(user('Go'), answer(long)), { conversation: 500, window: 1000 }), null);
    const log = turns(20);
    const plan = planCompaction(entries(...log), { conversation: 12_000, window: 20_000 });
    assert.ok(plan);
    assert.equal(planCompaction(entries(...log, plan.marker), { conversation: 12_000, window: 20_000 }), null);
  });

  it('is taken back by an entry, and the one before it holds again', () => {
    const first: EntryInput = {
      type: 'compact_marker',
      content: 'First',
      data: { compactedCount: 1, throughSeq: 1, summary: 'First' },
    };
    const second: EntryInput = {
      type: 'compact_marker',
      content: 'Second',
      data: { compactedCount: 2, throughSeq: 3, summary: 'Second', kept: [3] },
    };
    const told = (...all: EntryInput[]) => buildHistory(entries(...all)).map(({ content }) => content);
    const before = [user('One'), answer('1'), user('Two'), answer('2')];
    const summary = (text: string) => `Summary of the conversation so far:\n${text}`;
    assert.deepEqual(told(...before, first, second), [`${summary('Second')}\n\nTwo`, '2']);
    assert.deepEqual(told(...before, first, second, { type: 'compact_undone', data: { markerSeq: 6 } }), [
      summary('First'),
      '1',
      'Two',
      '2',
    ]);
    const both: EntryInput[] = [
      { type: 'compact_undone', data: { markerSeq: 6 } },
      { type: 'compact_undone', data: { markerSeq: 5 } },
    ];
    assert.deepEqual(told(...before, first, second, ...both), ['One', '1', 'Two', '2']);
  });

  it('keeps what decides and what is exact, in two languages, and no requests', () => {
    assert.deepEqual(
      ruleSentences(
        'Fix the test. Please never touch `a.ts`! It fails.\nBitte keine neuen Pakete. Das ist gut. We use tabs only here',
      ),
      ['Please never touch `a.ts`!', 'Bitte keine neuen Pakete.', 'We use tabs only here'],
    );
    assert.deepEqual(factSentences('The port is 8080. Show me line 3. Is it 4? Der Server heißt `luna`. It is big.'), [
      'The port is 8080.',
      'Der Server heißt `luna`.',
    ]);
  });

  it('says the newest of each kind where there is no room for all, and how many are left out', () => {
    const log = entries(...turns(200));
    const text = factualSummary(log, 3000);
    assert.ok(text.length <= 3000, String(text.length));
    assert.match(text, /\[\d+ older ones are left out\]/);
    assert.ok(text.includes('Never use tabs199.') && text.includes('c199.txt'));
    assert.equal(factualSummary(log, 3000), text);
  });
});
