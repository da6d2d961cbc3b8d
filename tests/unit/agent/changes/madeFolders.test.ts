import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { AgentBench } from '../support/agentBench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });

describe('folders that were made for files of the agent', () => {
  let bench: AgentBench;
  let sessionId: string;
  const folders = () =>
    readdirSync(bench.file('.'), { recursive: true, withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map(({ name }) => name)
      .sort();
  const remembered = async () => (await bench.rows('SELECT path FROM made_folders')).length;

  beforeEach(async () => {
    const models = [{ name: 'worker', capabilities: ['completion' as const, 'tools' as const], contextLength: 32_768 }];
    bench = await AgentBench.start({ hasCheckpoints: true, models, settings: { 'agent.loadTools': false } });
    mkdirSync(bench.file('theirs/empty'), { recursive: true });
    writeFileSync(bench.file('old.txt'), 'old');
    bench.double.script.push(
      [call('create_file', { path: 'theirs/ours/deep/new.txt', content: 'new' })],
      [call('create_file', { path: 'theirs/empty/new.txt', content: 'new' })],
      [call('rename_file', { path: 'old.txt', newPath: 'moved/new.txt' })],
      'Done.',
    );
    sessionId = await bench.ask('Go');
    assert.deepEqual(folders(), ['deep', 'empty', 'moved', 'ours', 'theirs']);
  });
  afterEach(() => bench.stop());

  const takeBackLast = async () => {
    const entry = bench.view.entries(sessionId).findLast(({ type }) => type === 'review');
    assert.deepEqual((await bench.changes.revertAnswer(sessionId, entry?.seq ?? 0)).left, []);
  };
  const restore = async () => {
    const id = bench.view.entries(sessionId).find(({ type }) => type === 'user_input')?.checkpointId ?? '';
    const target = { kind: 'checkpoint', id } as const;
    const { steps } = await bench.restores.plan(sessionId, target);
    return bench.restores.restore(sessionId, target, { files: steps.map(({ file }) => file), overwrite: [] });
  };

  it('go with the files when those are undone, come with them, and go again; others stay', async () => {
    assert.deepEqual((await bench.changes.undo(sessionId, null)).left, []);
    assert.deepEqual([folders(), await remembered()], [['empty', 'theirs'], 0]);
    await takeBackLast();
    assert.deepEqual(folders(), ['deep', 'empty', 'moved', 'ours', 'theirs']);
    await bench.changes.undo(sessionId, null);
    assert.deepEqual([folders(), await remembered()], [['empty', 'theirs'], 0]);
  });

  it('go with the files when those are restored away, and again after the restore was undone', async () => {
    const { operationId } = await restore();
    assert.deepEqual([folders(), await remembered()], [['empty', 'theirs'], 0]);
    const target = { kind: 'restore', id: operationId } as const;
    const { steps } = await bench.restores.plan(sessionId, target);
    await bench.restores.restore(sessionId, target, { files: steps.map(({ file }) => file), overwrite: [] });
    assert.deepEqual(folders(), ['deep', 'empty', 'moved', 'ours', 'theirs']);
    await restore();
    assert.deepEqual([folders(), await remembered()], [['empty', 'theirs'], 0]);
  });

  for (const [way, takeAway] of [
    ['undone', () => bench.changes.undo(sessionId, null)],
    ['restored away', () => restore()],
  ] as const) {
    it(`stay where a person has put something into them, or made them anew, when files are ${way}`, async () => {
      writeFileSync(bench.file('theirs/ours/mine.txt'), 'mine');
      rmSync(bench.file('moved'), { recursive: true });
      mkdirSync(bench.file('moved'));
      writeFileSync(bench.file('moved/new.txt'), 'old');
      await takeAway();
      assert.deepEqual(folders(), ['empty', 'moved', 'ours', 'theirs']);
      assert.equal(existsSync(bench.file('old.txt')), true);
    });
  }
});
