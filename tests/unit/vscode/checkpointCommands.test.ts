import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import type { RestoreTarget } from '../../../src/protocol/restore';
import type { CheckpointInfo } from '../../../src/services/checkpoint/checkpointTable';
import { checkpointCommands, type SessionCheckpoints } from '../../../src/vscode/commands/checkpointCommands';

const more = 'Also show checkpoints around commands';
const checkpoint = (id: string, kind: CheckpointInfo['kind'], state: CheckpointInfo['state'] = 'taken'): CheckpointInfo => ({
  id,
  kind,
  state,
  status: 'pending',
  title: id,
  sessionId: 's',
  workSession: 'session_1',
  createdAt: 0,
  fileCount: 1,
  totalSize: 1,
  leftOut: { count: 0, unstableCount: 0 },
});

describe('the list of checkpoints to restore', () => {
  let stored: CheckpointInfo[];
  let shown: RestoreTarget[];
  let lists: number;
  const list = (_session: string, { hasCommands = false } = {}) => {
    lists += 1;
    return Promise.resolve(stored.filter(({ kind }) => hasCommands || !kind.startsWith('command')));
  };
  const commands = checkpointCommands(
    () => Promise.resolve({ sessionId: 's', restores: { list } } as unknown as SessionCheckpoints),
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
    lists = 0;
    editorCalls.length = 0;
  });
  afterEach(() => (editor.picks = []));

  it('has the newest first, and those around commands on demand', async () => {
    assert.deepEqual(await restore(more, 'before'), [
      ['last', 'first', more],
      ['last', 'before', 'first'],
    ]);
    assert.deepEqual(shown, [{ kind: 'checkpoint', id: 'before' }]);
    assert.equal(lists, 1);
  });

  it('says of a checkpoint how many files are not stored, and how many were changing', async () => {
    stored = [
      checkpoint('whole', 'message'),
      { ...checkpoint('unsure of one', 'manual'), leftOut: { count: 1, unstableCount: 1 } },
      { ...checkpoint('both', 'manual'), leftOut: { count: 3, unstableCount: 2 } },
      { ...checkpoint('without one', 'manual'), leftOut: { count: 1, unstableCount: 0 } },
      { ...checkpoint('without two', 'manual'), leftOut: { count: 2, unstableCount: 0 } },
    ];
    await restore();
    const [items] = editorCalls[0]?.args ?? [];
    assert.deepEqual(
      (items as { detail: string }[]).map(({ detail }) => detail),
      [
        'Work session 1 · 2 files are not stored',
        'Work session 1 · 1 file is not stored',
        'Work session 1 · 1 file is not stored · 2 files changed while the checkpoint was created',
        'Work session 1 · 1 file changed while the checkpoint was created',
        'Work session 1',
      ],
    );
  });

  it('has no stored titles', async () => {
    stored = [
      { ...checkpoint('first', 'message'), title: 'Initial state' },
      { ...checkpoint('last', 'message'), title: 'Before user message: Add tests' },
    ];
    assert.deepEqual(await restore(), [['Before message: Add tests', 'Initial state']]);
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
