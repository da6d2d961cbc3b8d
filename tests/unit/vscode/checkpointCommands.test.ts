import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import type { RestoreTarget } from '../../../src/protocol/restore';
import type { CheckpointInfo } from '../../../src/services/checkpoint/checkpointRows';
import { checkpointCommands, type CheckpointFront } from '../../../src/vscode/commands/checkpointCommands';

const more = 'Show checkpoints around commands too';
const checkpoint = (id: string, kind: CheckpointInfo['kind'], state: CheckpointInfo['state'] = 'taken'): CheckpointInfo => ({
  ...{ id, kind, state, title: id, sessionId: 's', workSession: 'session_1', createdAt: 0 },
  ...{ fileCount: 1, totalSize: 1, problems: [] },
});

describe('the list of checkpoints to restore', () => {
  let stored: CheckpointInfo[];
  let shown: RestoreTarget[];
  const list = (_session: string, { hasCommands = false } = {}) =>
    Promise.resolve(stored.filter(({ kind }) => hasCommands || !kind.startsWith('command')));
  const commands = checkpointCommands(
    () => Promise.resolve({ sessionId: 's', restores: { list } } as unknown as CheckpointFront),
    (target) => Promise.resolve(void shown.push(target)),
  );
  const restore = async (...picks: string[]): Promise<string[][]> => {
    editor.picks = picks;
    await commands.restoreCheckpoint();
    return editorCalls.map(({ args: [items] }) => (items as { label: string }[]).map(({ label }) => label));
  };

  beforeEach(() => {
    stored = [checkpoint('first', 'message'), checkpoint('before', 'command_before'), checkpoint('last', 'manual')];
    shown = [];
    editorCalls.length = 0;
  });
  afterEach(() => (editor.picks = []));

  it('has the newest first, and those around commands on demand', async () => {
    assert.deepEqual(await restore(more, 'before'), [
      ['last', 'first', more],
      ['last', 'before', 'first'],
    ]);
    assert.deepEqual(shown, [{ kind: 'checkpoint', id: 'before' }]);
  });

  it('offers no more where there are none around commands that could be restored', async () => {
    stored = [checkpoint('first', 'message'), checkpoint('failed', 'command_after', 'failed')];
    assert.deepEqual(await restore('first'), [['first']]);
    assert.deepEqual(shown, [{ kind: 'checkpoint', id: 'first' }]);
  });

  it('that is closed restores nothing', async () => {
    await restore();
    await restore(more);
    assert.deepEqual(shown, []);
  });
});
