import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { EntryOf } from '../../../../src/protocol/entries';
import { openSqlite } from '../../../../src/services/database/sqlite/sqlite';
import { AgentBench } from '../support/agentBench';

const createIt = { call: { name: 'create_file', arguments: { path: 'made.txt', content: 'new\n' } } };
const replaceIt = (oldText: string, newText: string) => ({
  call: { name: 'replace_in_file', arguments: { path: 'a.txt', oldText, newText } },
});

let bench: AgentBench;
beforeEach(async () => (bench = await AgentBench.start()));
afterEach(() => bench.stop());

function rows(sql: string): Record<string, unknown>[] {
  const database = openSqlite(bench.databaseFile(), { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

describe('checkpoints before messages', () => {
  it('are made before each message, in its transaction, with its title', async () => {
    bench.double.script.push('One.', 'Two.', 'Three.');
    const sessionId = await bench.ask('Add tests\nand more');
    await bench.ask('Go on', { sessionId });
    const first = bench.view.entries(sessionId).find(({ type }) => type === 'user_input');
    await bench.controller.resend({ sessionId, seq: first?.seq ?? 0, text: 'Say it so', mode: 'agent', model: 'worker' });
    await bench.over(sessionId);
    const entries = bench.view.entries(sessionId);
    const pairs = entries.filter(({ type }) => type === 'checkpoint' || type === 'user_input');
    assert.deepEqual(
      pairs.map((entry) => (entry.type === 'checkpoint' ? entry.data.title : entry.content)),
      [
        ...['Before user message: Add tests', 'Add tests\nand more', 'Before user message: Go on', 'Go on'],
        ...['Before user message: Say it so', 'Say it so'],
      ],
    );
    const [initial] = rows("SELECT id FROM checkpoints WHERE kind = 'initial'");
    assert.deepEqual(
      rows("SELECT id, message_id, kind, title, parent_id FROM checkpoints WHERE kind = 'message' ORDER BY id"),
      [0, 2, 4].map((index) => ({
        id: pairs[index]?.checkpointId,
        message_id: pairs[index + 1]?.id,
        kind: 'message',
        title: (pairs[index] as EntryOf<'checkpoint'>).data.title,
        parent_id: pairs[index - 2]?.checkpointId ?? initial?.['id'],
      })),
    );
    assert.deepEqual(await bench.seen(sessionId), ['you: Say it so', 'text (complete): Three.', '= done']);
  });

  it('follow in status and counts what becomes of the files that were changed after them', async () => {
    await writeFile(bench.file('a.txt'), 'one\ntwo\n');
    bench.double.script.push([replaceIt('one', 'ONE'), createIt], 'Done.');
    const sessionId = await bench.ask('Change it');
    await bench.changes.list(sessionId);
    const states = () =>
      rows("SELECT status, total_additions AS added, total_deletions AS removed FROM checkpoints WHERE kind = 'message'");
    assert.deepEqual(states(), [{ status: 'pending', added: 2, removed: 1 }]);
    await bench.changes.keep(sessionId, [bench.file('a.txt')]);
    assert.equal(states()[0]?.['status'], 'partial');
    await bench.changes.undo(sessionId, null);
    assert.equal(states()[0]?.['status'], 'partial');
    const seqs = bench.view.entries(sessionId).flatMap((entry) => (entry.type === 'review' ? [entry.seq] : []));
    await bench.changes.revertAnswer(sessionId, seqs[0] ?? 0);
    await bench.changes.undo(sessionId, null);
    assert.equal(states()[0]?.['status'], 'undone');
    const named = rows('SELECT DISTINCT checkpoint_id AS id FROM file_snapshots');
    assert.deepEqual(named, rows("SELECT id FROM checkpoints WHERE kind = 'message'"));
  });
});
