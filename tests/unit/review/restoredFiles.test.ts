import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RestoreTarget } from '../../../src/protocol/restore';
import { OtherChats } from '../../../src/services/review/otherChats';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';

const original = 'a\nb\nc\nd\ne\nf\n';

describe('A restored file with pending changes', () => {
  let bench: AgentBench;
  let sessionId: string;
  beforeEach(async () => {
    bench = await AgentBench.start({ hasCheckpoints: true });
    sessionId = '';
    write(original);
    await turn('First', 'a\nB\nc\nd\ne\nf\n');
    await turn('Second', 'a\nB\nc\nd\nE\nf\n');
  });
  afterEach(() => bench.stop());

  const file = () => bench.file('a.txt');
  const write = (text: string) => writeFileSync(file(), text);

  /** Sends a message for which the agent changes the file. If `content` is null, the agent deletes the file. */
  async function turn(text: string, content: string | null, session: string | null = sessionId): Promise<string> {
    const call =
      content === null
        ? { name: 'delete_file', arguments: { path: 'a.txt' } }
        : { name: 'write_file', arguments: { path: 'a.txt', content } };
    bench.double.script.push([{ call }], 'Done.');
    const id = await bench.ask(text, { sessionId: session === '' ? null : session });
    if (session === sessionId) sessionId = id;
    return id;
  }

  function before(text: string, session = sessionId): RestoreTarget {
    const message = bench.view.entries(session).find(({ type, content }) => type === 'user_input' && content === text);
    return { kind: 'checkpoint', id: message?.checkpointId ?? '' };
  }

  async function restore(target: RestoreTarget, session = sessionId): Promise<RestoreTarget> {
    const result = await bench.restores.restore(session, target, { files: [file()], overwrite: [file()] });
    return { kind: 'restore', id: result.operationId };
  }

  /** Returns the agent's changes in the form `old lines → new lines`. */
  async function changes(): Promise<string[]> {
    const [changed] = await bench.changes.compared(sessionId);
    if (changed === undefined) return [];
    return changed.texts === null
      ? [changed.status]
      : changed.hunks.map(({ old, written }) => `${old.join()} → ${written.join()}`);
  }

  it('shows no change of the agent in a line that was restored and then edited', async () => {
    await restore(before('Second'));
    write('a\nB\nc\nd\nmine\nf\n');
    assert.deepEqual(await changes(), ['b → B']);
    await bench.changes.undo(sessionId, null);
    assert.equal(readFileSync(file(), 'utf8'), 'a\nb\nc\nd\nmine\nf\n');
  });

  it('has no change of the agent after it was restored to its first state and then edited', async () => {
    await restore(before('First'));
    assert.deepEqual(await changes(), []);
    write('a\nmine\nc\nd\ne\nf\n');
    assert.deepEqual(await changes(), []);
  });

  it('is not a changed file of another chat after it was restored to its first state', async () => {
    const sources = {
      waitingElsewhere: () => Promise.resolve([{ sessionId, path: file() }]),
      compared: (id: string, paths?: ReadonlySet<string>) => bench.changes.compared(id, paths),
      isInWindow: () => true,
    };
    const chats = new OtherChats(sources, { visible: () => [], document: () => undefined }, silentLogger, () => undefined);
    await chats.refresh();
    assert.deepEqual(chats.paths, [file()]);
    await restore(before('First'));
    await chats.refresh();
    assert.deepEqual(chats.paths, []);
  });

  it('has the changes of the agent again when the restore is undone', async () => {
    const undo = await restore(before('First'));
    await restore(undo);
    assert.deepEqual(await changes(), ['b → B', 'e → E']);
    write('mine\nB\nc\nd\nE\nf\n');
    assert.deepEqual(await changes(), ['b → B', 'e → E']);
  });

  it('has the changes of the agent again when the restore is undone in the editor, also while a person goes on typing', async () => {
    await restore(before('First'));
    write('a\nB\nc\nd\nE\nf\n');
    assert.deepEqual(await changes(), ['b → B', 'e → E']);
    write('mine\nB\nc\nd\nE\nf\nmore\n');
    assert.deepEqual(await changes(), ['b → B', 'e → E']);
    write('mine\nb\nc\nd\ne\nf\nmore\n');
    assert.deepEqual(await changes(), []);
  });

  it('has the changes of the agent again when a later checkpoint is restored', async () => {
    await restore(before('First'));
    await restore(before('Second'));
    write('mine\nB\nc\nd\ne\nf\n');
    assert.deepEqual(await changes(), ['b → B']);
  });

  it('keeps the changes that the agent makes afterwards', async () => {
    await restore(before('Second'));
    write('a\nB\nc\nd\nmine\nf\n');
    await turn('Third', 'a\nB\nC\nd\nmine\nf\n');
    assert.deepEqual(await changes(), ['b → B', 'c → C']);
  });

  it('keeps the edits that were made before the restored checkpoint', async () => {
    write('a\nB\nc\nd\nE\nmine\n');
    await turn('Third', 'A\nB\nc\nd\nE\nmine\n');
    await restore(before('Third'));
    write('a2\nB\nc\nd\nE\nmine\n');
    assert.deepEqual(await changes(), ['b → B', 'e → E']);
  });

  it('that the agent had deleted is the same as before its deletion', async () => {
    await turn('Third', null);
    assert.ok(!existsSync(file()));
    await restore(before('Third'));
    write('a\nB\nc\nd\nE\nmine\n');
    assert.deepEqual(await changes(), ['b → B', 'e → E']);
    await restore(before('First'));
    write('a\nb\nc\nd\ne\nmine\n');
    assert.deepEqual(await changes(), []);
  });

  it('that another chat restored shows no change of the agent in a line that was edited afterwards', async () => {
    const other = await turn('Other', 'a\nB\nc\nd\nE\nother\n', null);
    await turn('Third', 'a\nB\nC\nd\nE\nother\n');
    await restore(before('Other', other), other);
    write('a\nB\nmine\nd\nE\nf\n');
    assert.deepEqual(await changes(), ['b → B', 'e → E']);
  });
});

describe('A file that a restore deleted', () => {
  let bench: AgentBench;
  beforeEach(async () => (bench = await AgentBench.start({ hasCheckpoints: true })));
  afterEach(() => bench.stop());

  it('is a person’s own when it is created again', async () => {
    bench.double.script.push([{ call: { name: 'write_file', arguments: { path: 'new.txt', content: 'one\n' } } }], 'Done.');
    const sessionId = await bench.ask('Create', { sessionId: null });
    const message = bench.view.entries(sessionId).find(({ type }) => type === 'user_input');
    const file = bench.file('new.txt');
    await bench.restores.restore(
      sessionId,
      { kind: 'checkpoint', id: message?.checkpointId ?? '' },
      { files: [file], overwrite: [] },
    );
    assert.ok(!existsSync(file));
    writeFileSync(file, 'mine\n');
    assert.deepEqual(await bench.changes.list(sessionId), []);
    rmSync(file);
    assert.deepEqual(await bench.changes.list(sessionId), []);
  });
});
