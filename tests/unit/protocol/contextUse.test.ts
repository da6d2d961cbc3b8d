import assert from 'node:assert/strict';
import { contextUse, type ContextInput } from '../../../src/protocol/contextUse';
import type { EntryInput } from '../../../src/protocol/entries';
import { buildHistory } from '../../../src/protocol/history';
import { entries } from '../../support/entries';

const user = (content: string, attached?: string): EntryInput => ({
  type: 'user_input',
  content,
  data: { mode: 'ask', attachments: attached === undefined ? [] : [{ kind: 'file', path: 'a.ts', content: attached }] },
});
const answer = (content: string, promptTokens?: number, answerTokens?: number, model = 'm'): EntryInput => ({
  type: 'assistant_output',
  content,
  model,
  data: {
    end: 'complete',
    stats: { fixedCharacters: 400, ...(promptTokens && { promptTokens }), ...(answerTokens && { answerTokens }) },
  },
});
const call: EntryInput = { type: 'tool_call', data: { callId: 'c', name: 'read_file', input: { path: 'a' } } };
const result = (content: string): EntryInput => ({
  type: 'tool_result',
  content,
  data: { callId: 'c', name: 'read_file', status: 'success' },
});
const use = (inputs: EntryInput[], more: Partial<ContextInput> = {}) =>
  contextUse({
    fixed: { system: 240, tools: 120, instructions: 40, memory: 0 },
    entries: entries(...inputs),
    isModel: (name) => name === 'm',
    measured: null,
    tokenLength: 4,
    ...more,
  });
const byKind = ({ parts }: ReturnType<typeof use>) => Object.fromEntries(parts.map(({ kind, tokens }) => [kind, tokens]));

describe('what fills the context window', () => {
  it('is estimated with the length that a token of the model is known to have', () => {
    assert.equal(use([], { tokenLength: 2 }).used, 200);
  });

  it('includes the attachments of a message that is being written, as an estimate', () => {
    const { used, isMeasured, ...parts } = use([user('x'), answer('y', 200, 50)], { draft: 60_000 });
    const before = use([user('x'), answer('y', 200, 50)]);
    assert.deepEqual([before.isMeasured, isMeasured], [true, false]);
    assert.ok(used > before.used + 60_000 / 8, String(used));
    assert.ok((byKind({ used, isMeasured, ...parts })['draft'] ?? 0) > used * 0.9);
  });

  it('is estimated while the server has measured nothing: a token for four characters', () => {
    assert.deepEqual(use([]), {
      used: 100,
      isMeasured: false,
      parts: [
        { kind: 'system', tokens: 60 },
        { kind: 'tools', tokens: 30 },
        { kind: 'instructions', tokens: 10 },
        { kind: 'memory', tokens: 0 },
        { kind: 'attachments', tokens: 0 },
        { kind: 'history', tokens: 0 },
        { kind: 'toolResults', tokens: 0 },
        { kind: 'draft', tokens: 0 },
      ],
    });
    const asked = use([user('y'.repeat(384))]);
    assert.deepEqual([asked.used, asked.isMeasured, byKind(asked)['history']], [200, false, 100]);
  });

  it('is what the server measured after an answer, the parts sharing it', () => {
    const measured = use([user('y'.repeat(184)), answer('z'.repeat(184), 250, 50)]);
    assert.deepEqual([measured.used, measured.isMeasured], [300, true]);
    assert.deepEqual(byKind(measured), {
      system: 90,
      tools: 45,
      instructions: 15,
      memory: 0,
      attachments: 0,
      draft: 0,
      history: 150,
      toolResults: 0,
    });
  });

  it('is measured up to the last answer and estimated from there on, in tokens of the measured length', () => {
    // 800 characters were 400 tokens.
    const measured = [user('y'.repeat(184)), answer('z'.repeat(184), 390, 10)];
    const more = use([...measured, user('w'.repeat(84))]);
    assert.deepEqual([more.used, more.isMeasured], [450, false]);
  });

  it('is estimated if the system prompt or the tools differ from those that were measured', () => {
    // 800 characters were 400 tokens.
    const measured = [user('y'.repeat(184)), answer('z'.repeat(184), 390, 10)];
    const other = use(measured, { fixed: { system: 240, tools: 20, instructions: 40, memory: 0 } });
    assert.deepEqual([other.used, other.isMeasured], [350, false]);
    const slight = use(measured, { fixed: { system: 239, tools: 120, instructions: 40, memory: 0 } });
    assert.deepEqual([slight.used, slight.isMeasured], [400, false]);
    const unknown: EntryInput = { type: 'assistant_output', model: 'm', data: { end: 'complete', stats: { promptTokens: 390 } } };
    assert.equal(use([user('Go'), unknown]).isMeasured, false);
  });

  it('tells tool results and what is attached', () => {
    const parts = byKind(use([user('a'.repeat(100), 'b'.repeat(60)), call, result('c'.repeat(4000))]));
    assert.equal((parts['toolResults'] ?? 0) > 1000, true);
    assert.equal(parts['attachments'], 15);
  });

  it('takes a measure that the log does not hold, as long as what it measured is in the conversation', () => {
    const inputs = [user('Go'), call];
    const measured = { seq: 2, tokens: 777, fixedCharacters: 400 };
    assert.deepEqual(use(inputs, { measured }).used, 777);
    const taken: EntryInput = { type: 'rewind', data: { fromSeq: 1 } };
    assert.equal(use([...inputs, taken, user('Go')], { measured }).isMeasured, false);
  });

  it('does not take the measure of another model, nor one from before a summary', () => {
    assert.equal(use([user('Go'), answer('Yes', 500, 5, 'other')]).isMeasured, false);
    const summary: EntryInput = { type: 'compact_marker', data: { compactedCount: 2, throughSeq: 2, summary: 'Short.' } };
    const after = use([user('Go'), answer('Yes'.repeat(999), 5000, 5), summary]);
    assert.deepEqual([after.isMeasured, after.used < 200], [false, true]);
  });

  it('leaves thinking out, and has parts that always add up', () => {
    const thought: EntryInput = {
      type: 'assistant_output',
      content: 'Hm'.repeat(999),
      data: { end: 'complete', isThinking: true },
    };
    assert.deepEqual(buildHistory(entries(user('Go'), thought)), [{ role: 'user', content: 'Go' }]);
    for (const tokens of [1, 3, 7, 100, 12_345]) {
      const { used, parts } = use([user('a', 'b'), call, result('c'), answer('d', tokens)]);
      assert.equal(
        parts.reduce((sum, part) => sum + part.tokens, 0),
        used,
      );
      assert.equal(
        parts.every((part) => part.tokens >= 0),
        true,
      );
    }
  });
});
