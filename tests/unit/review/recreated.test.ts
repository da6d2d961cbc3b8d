import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { FakeEditor } from './support/fakeEditor';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const original = words.map((word) => `${word}\r\n`).join('');
const rewritten = words.map((word) => `${word === 'two' ? 'zwei' : word === 'eight' ? 'acht' : word}\n`).join('');

describe('A file that the agent deleted and made anew', () => {
  let bench: AgentBench;
  let editor: FakeEditor;
  let review: PendingEditReviewService;
  let file: string;
  let sessionId: string;
  let asked: string[];

  beforeEach(async () => {
    asked = [];
    const ask = (kind: string) => async () => (asked.push(kind), false);
    editor = new FakeEditor();
    bench = await AgentBench.start({
      editors: editor.files,
      questions: { replace: ask('replace'), remove: ask('remove'), merge: ask('merge') },
    });
    file = bench.file('a.txt');
    writeFileSync(file, original);
    chmodSync(file, 0o755);
  });

  afterEach(async () => {
    await bench.checkReferences();
    await review.dispose();
    await bench.stop();
  });

  async function start(content = rewritten): Promise<void> {
    const calls = [call('delete_file', { path: 'a.txt' }), call('create_file', { path: 'a.txt', content })];
    bench.double.script.push(...calls.map((one) => [one]), 'Done.');
    sessionId = await bench.ask('Do it');
    review = new PendingEditReviewService(
      { changes: bench.changes, sessionOf: async () => undefined },
      editor,
      systemClock,
      silentLogger,
    );
    await review.startReview(sessionId);
  }

  const idAt = (index: number): string => review.getState(file)?.hunks[index]?.id ?? '';
  const modeNow = (): number => statSync(file).mode & 0o777;
  const assertOriginal = (): void => {
    assert.deepEqual([readFileSync(file, 'utf8'), modeNow()], [original, 0o755]);
    assert.deepEqual(asked, []);
  };

  it('has its line ends and mode back when all is undone after a hunk was undone and the agent went on', async () => {
    await start();
    assert.equal((await review.undoHunk(file, idAt(0))).left.length, 0);
    bench.double.script.push([call('replace_in_file', { path: 'a.txt', oldText: 'five', newText: 'fünf' })], 'Done.');
    await bench.ask('Go on', { sessionId });
    await bench.changes.undo(sessionId, null);
    assertOriginal();
  });

  it('has its line ends and mode back when all hunks are undone one by one', async () => {
    await start();
    for (let left = 2; left > 0; left -= 1) await review.undoHunk(file, idAt(0));
    assertOriginal();
    assert.deepEqual(await bench.database.fileSnapshots.pending(sessionId), []);
  });

  it('has them back when all hunks are undone one by one in an editor', async () => {
    await start();
    editor.files.show(file, rewritten);
    for (let left = 2; left > 0; left -= 1) await review.undoHunk(file, idAt(0));
    assertOriginal();
  });

  it('has them back around lines that a person has put in, and keeps a mode that they have given it', async () => {
    await start();
    writeFileSync(file, readFileSync(file, 'utf8').replace('five\n', 'five\nmine\n'));
    chmodSync(file, 0o640);
    await bench.changes.undo(sessionId, null);
    assert.deepEqual([readFileSync(file, 'utf8'), modeNow()], [original.replace('five\r\n', 'five\r\nmine\r\n'), 0o640]);
    assert.deepEqual(asked, []);
  });

  it('has its mode back where only that differs', async () => {
    await start(original);
    assert.equal(readFileSync(file, 'utf8'), original);
    await bench.changes.undo(sessionId, null);
    assertOriginal();
  });

  it('comes back with the agent’s lines and a person’s own, without a question, when the undo is taken back at once', async () => {
    await start();
    const before = readFileSync(file, 'utf8').replace('five\n', 'five\nmine\n');
    const mode = modeNow();
    writeFileSync(file, before);
    await bench.changes.undo(sessionId, null);
    const { entries } = await bench.database.log.read(sessionId, 0);
    const undo = entries.findLast((entry) => entry.type === 'review');
    assert.deepEqual((await bench.changes.revertAnswer(sessionId, undo?.seq ?? 0)).left, []);
    assert.deepEqual([readFileSync(file, 'utf8'), modeNow(), asked], [before, mode, []]);
  });
});
