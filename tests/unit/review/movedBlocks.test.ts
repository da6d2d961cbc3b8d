import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { FakeEditor } from './support/fakeEditor';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const replace = (oldText: string, newText: string) => call('replace_in_file', { path: 'a.js', oldText, newText });
const write = (content: string) => call('write_file', { path: 'a.js', content });

const one = ['export function one() {', '  return 1;', '}', ''];
const two = ['export function two() {', '  return 2;', '}', ''];
const three = ['export function three() {', '  return 3;', '}', ''];
const textOf = (...blocks: string[][]) => ['// header', '', ...blocks.flat()].join('\n');
const original = textOf(one, two, three);
/** Text after the agent moved a function, changed two functions and replaced another. */
const rewritten = textOf(two, one, ['export function four() {', '  return 4;', '}', ''])
  .replace('return 1', 'return 11')
  .replace('return 2', 'return 22');
const typed = (text: string) => text.replace('// header\n', '// header\n// mine\n');

describe('Undoing moved blocks', () => {
  let bench: AgentBench;
  let file: string;
  let asked: number;

  beforeEach(async () => {
    asked = 0;
    const ask = async () => (asked += 1) < 0;
    bench = await AgentBench.start({
      hasCheckpoints: true,
      settings: { 'checkpoints.enabled': true, 'agent.loadTools': false },
      questions: { replace: ask, remove: ask, merge: ask },
    });
    file = bench.file('a.js');
    writeFileSync(file, original);
  });

  afterEach(async () => {
    assert.equal(asked, 0);
    await bench.stop();
  });

  const read = () => readFileSync(file, 'utf8');
  const agentDoes = (calls: ReturnType<typeof call>[], sessionId: string | null = null) => {
    bench.double.script.push([call('read_file', { path: 'a.js' })], ...calls.map((each) => [each]), 'Done.');
    return bench.ask('Do it', { sessionId });
  };
  const hunks = async (sessionId: string) =>
    (await bench.changes.compared(sessionId)).flatMap(({ hunks: found }) => found.map(({ old, written }) => [old, written]));

  const restores = {
    'a restore': async (sessionId: string) => {
      const id = bench.view.entries(sessionId).find(({ type }) => type === 'user_input')?.checkpointId ?? '';
      await bench.restores.restore(sessionId, { kind: 'checkpoint', id }, { files: [file], overwrite: [] });
    },
    'a checkout with Git': async () => writeFileSync(file, original),
  };
  for (const [name, restore] of Object.entries(restores)) {
    it(`leaves the lines of a person after ${name}, and what was there before`, async () => {
      const sessionId = await agentDoes([write(rewritten)]);
      await restore(sessionId);
      writeFileSync(file, typed(original));
      assert.deepEqual(await hunks(sessionId), []);
      await agentDoes([replace('  return 3;', '  return 33;')], sessionId);
      assert.deepEqual(await hunks(sessionId), [[['  return 3;'], ['  return 33;']]]);
      await bench.changes.undo(sessionId, null);
      assert.equal(read(), typed(original));
    });
  }

  for (const [order, isTyped] of [
    ['the first one first', false],
    ['the last one first', false],
    ['the first one first', true],
    ['the last one first', true],
  ] as const) {
    it(`hunk by hunk, ${order}, leaves each block once${isTyped ? ', and the line of a person' : ''}`, async () => {
      const sessionId = await agentDoes([write(rewritten)]);
      const sources = { changes: bench.changes, sessionOf: async () => undefined };
      const review = new PendingEditReviewService(sources, new FakeEditor(), systemClock, silentLogger);
      await review.startReview(sessionId);
      if (isTyped) {
        writeFileSync(file, typed(read()));
        await review.refresh([file]);
      }
      for (let left = review.getState(file)?.hunks ?? []; left.length > 0; left = review.getState(file)?.hunks ?? [])
        await review.undoHunk(file, left.at(order === 'the last one first' ? -1 : 0)?.id ?? '');
      await review.dispose();
      assert.equal(read(), isTyped ? typed(original) : original);
      assert.deepEqual(await bench.changes.list(sessionId), []);
    });
  }

  it('gives the original back where some hunks were undone and the agent went on', async () => {
    const sessionId = await agentDoes([write(rewritten)]);
    for (let time = 0; time < 2; time += 1) {
      const [change] = await bench.changes.compared(sessionId);
      const ids = change?.hunks.slice(-1).map(({ id }) => id) ?? [];
      await bench.changes.undoHunks(sessionId, [{ path: file, ids }], new FakeEditor());
    }
    await agentDoes([replace('// header', '// heading')], sessionId);
    await bench.changes.undo(sessionId, null);
    assert.equal(read(), original);
  });

  for (const isSecondFirst of [true, false]) {
    it(`of two chats that changed the same lines gives the original back, the ${isSecondFirst ? 'second' : 'first'} first`, async () => {
      const second = await agentDoes([replace('  return 2;', '  two();')]);
      const first = await agentDoes([replace('  two();', '  oneA();\n  oneB();')]);
      await agentDoes([replace('  oneA();\n', '')], second);
      for (const sessionId of isSecondFirst ? [second, first] : [first, second]) await bench.changes.undo(sessionId, null);
      assert.equal(read(), original);
      assert.deepEqual([await bench.changes.list(first), await bench.changes.list(second)], [[], []]);
    });
  }
});
