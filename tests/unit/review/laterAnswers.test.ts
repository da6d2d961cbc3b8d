import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { pendingFiles } from '../../../src/services/database/sessions/pendingFiles';
import type { Connection } from '../../../src/services/database/sqlite/connection';
import { OtherChats } from '../../../src/services/review/otherChats';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { SnapshotKeeper } from '../../../src/services/review/snapshotKeeper';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { FakeEditor } from './support/fakeEditor';

const original = 'a\nb\nc\nd\ne\nf\n';

describe('A file that was answered or changed by others in between', () => {
  let bench: AgentBench;
  let review: PendingEditReviewService;
  let keeper: SnapshotKeeper;
  let own: string;
  let other: string;
  let mayReplace: boolean;
  beforeEach(async () => {
    mayReplace = false;
    bench = await AgentBench.start({ questions: { replace: async () => mayReplace } });
    const sources = { changes: bench.changes, sessionOf: async () => undefined };
    review = new PendingEditReviewService(sources, new FakeEditor(), systemClock, silentLogger);
    keeper = new SnapshotKeeper(bench.database, bench.snapshots, silentLogger);
    own = await session('Own');
    other = await session('Other');
    writeFileSync(file(), original);
    await review.startReview(own);
  });
  afterEach(async () => {
    await review.dispose();
    await bench.stop();
  });

  const file = () => bench.file('a.txt');
  const text = () => readFileSync(file(), 'utf8');
  const undoAll = () => bench.changes.undo(own, [file()]);
  async function session(title: string): Promise<string> {
    return (await bench.database.sessions.create({ title, mode: 'agent', model: null, projectPath: null })).id;
  }

  async function agentWrites(sessionId: string, after: string): Promise<void> {
    const touch = { sessionId, callId: 'call', operation: 'modify' as const, path: file(), shown: 'a.txt' };
    await keeper.beforeTouch({ ...touch, before: readFileSync(file()), mode: 0o644 });
    writeFileSync(file(), after);
    await keeper.afterTouch({ ...touch, after: Buffer.from(after), mode: 0o644 });
    await review.refresh();
  }

  async function undoHunk(): Promise<number> {
    const id = review.getState(file())?.hunks[0]?.id ?? '';
    await review.undoHunk(file(), id);
    return lastAnswer();
  }

  async function undoWhole(): Promise<number> {
    await undoAll();
    return lastAnswer();
  }

  async function lastAnswer(): Promise<number> {
    return (await bench.database.log.read(own, 0)).entries.findLast(({ type }) => type === 'review')?.seq ?? 0;
  }

  it('is undone as a whole after an earlier undo of a hunk was reverted', async () => {
    await agentWrites(own, 'a\nB\nc\nd\nE\nf\n');
    const first = await undoHunk();
    await undoHunk();
    assert.equal(text(), original);
    await bench.changes.revertAnswer(own, first);
    assert.equal(text(), 'a\nB\nc\nd\ne\nf\n');
    assert.deepEqual(await undoAll(), { undone: ['a.txt'], left: [] });
    assert.equal(text(), original);
  });

  it('does not get lines back that another chat wrote and a person removed', async () => {
    await agentWrites(own, 'a\nB\nc\nd\ne\nf\n');
    await agentWrites(other, 'a\nB\nc\nd\ne\nother\nf\n');
    writeFileSync(file(), original);
    await review.refresh([file()]);
    await agentWrites(own, 'a\nb\nc\nD\ne\nf\n');
    assert.deepEqual(await undoAll(), { undone: ['a.txt'], left: [] });
    assert.equal(text(), original);
  });

  it('does not get such lines back when the last text of this chat is there again', async () => {
    const written = 'a\nB\nc\nd\ne\nf\n';
    await agentWrites(own, written);
    await agentWrites(other, 'a\nB\nc\nd\ntheirs\nf\n');
    writeFileSync(file(), written);
    await review.refresh([file()]);
    await undoAll();
    assert.equal(text(), original);
  });

  for (const [what, undo] of [
    ['a hunk', () => undoHunk()],
    ['all', () => undoWhole()],
  ] as const)
    it(`is undone after an undo of ${what} was reverted, though another chat wrote to it in between`, async () => {
      await agentWrites(own, 'a\nB\nc\nd\ne\nf\n');
      const seq = await undo();
      assert.equal(text(), original);
      await agentWrites(other, 'a\nb\nc\nd\ntheirs\nf\n');
      writeFileSync(file(), original);
      await review.refresh([file()]);
      // After an undo of the whole file, the text without the changes of both chats is unknown.
      mayReplace = what === 'all';
      assert.deepEqual((await bench.changes.revertAnswer(own, seq)).left, []);
      mayReplace = false;
      await review.refresh();
      assert.equal(text(), 'a\nB\nc\nd\ne\nf\n');
      assert.deepEqual(
        review.getState(file())?.hunks.map(({ oldLines, newLines }) => [oldLines, newLines]),
        [[['b'], ['B']]],
      );
      await undoAll();
      assert.equal(text(), original);
    });

  it('leads to the chat whose changes are left in it, not to one whose changes were discarded', async () => {
    await agentWrites(own, 'a\nB\nc\nd\ne\nf\n');
    writeFileSync(file(), original);
    await agentWrites(other, 'a\nb\nc\nD\ne\nf\n');
    const { connection } = bench.database as unknown as { connection: Connection };
    const sources = {
      waitingElsewhere: () => pendingFiles(connection),
      compared: (id: string, paths?: ReadonlySet<string>) => bench.changes.compared(id, paths),
      isInWindow: () => true,
    };
    const editor = { visible: () => [file()], document: () => undefined };
    const chats = new OtherChats(sources, editor, silentLogger, () => undefined);
    const owner = async () => {
      await chats.refresh();
      return [chats.findSession(file()), chats.listHunks(file()).map(({ newLines }) => newLines)];
    };
    assert.deepEqual(await owner(), [other, [['D']]]);
    writeFileSync(file(), original);
    await agentWrites(own, 'a\nb\nc\nd\nE\nf\n');
    assert.deepEqual(await owner(), [own, [['E']]]);
  });

  it('counts only what the agent wrote after a hunk was undone and the rest removed by a person', async () => {
    await agentWrites(own, 'a\nB\nc\nd\nE\nf\n');
    await undoHunk();
    writeFileSync(file(), original);
    await review.refresh([file()]);
    await agentWrites(own, 'a\nb\nC\nd\ne\nf\n');
    assert.deepEqual(
      review.getState(file())?.hunks.map(({ oldLines, newLines }) => [oldLines, newLines]),
      [[['c'], ['C']]],
    );
    await undoAll();
    assert.equal(text(), original);
  });
});
