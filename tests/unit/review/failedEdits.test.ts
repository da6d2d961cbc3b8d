import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { FileChanges } from '../../../src/services/files/fileChanges';
import { FileError } from '../../../src/services/files/fileError';
import { SnapshotKeeper } from '../../../src/services/review/snapshotKeeper';
import { phrase } from '../../../src/utils/l10n';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { EditorsDouble } from '../agent/support/editorDoubles';

const original = 'a\nb\nc\nd\n';

describe('A review beside a person who types', () => {
  let bench: AgentBench;
  let editors: EditorsDouble;
  let changes: FileChanges;
  let session: string;
  /** Called when the snapshot of a file is stored, just before the file is changed. */
  let meanwhile: () => void;
  beforeEach(async () => {
    bench = await AgentBench.start({});
    editors = new EditorsDouble();
    meanwhile = () => undefined;
    const keeper = new SnapshotKeeper(bench.database, bench.snapshots, silentLogger);
    const store = keeper.beforeTouch.bind(keeper);
    keeper.beforeTouch = async (touch) => {
      await store(touch);
      meanwhile();
    };
    changes = new FileChanges(editors, keeper);
    session = (await bench.database.sessions.create({ title: 'Own', mode: 'agent', model: null, projectPath: null })).id;
    writeFileSync(bench.file('a.txt'), original);
    editors.show(bench.file('a.txt'));
  });
  afterEach(() => bench.stop());

  const target = (name: string) => ({ real: bench.file(name), shown: name });
  const origin = () => {
    return { sessionId: session, callId: 'c', signal: new AbortController().signal, beginWriting: () => undefined };
  };
  const write = async (text: string) => changes.write(await changes.readText(target('a.txt')), text, origin());
  const list = async () =>
    (await bench.changes.list(session)).map(({ shown, lines }) => [shown, lines?.additions, lines?.deletions]);
  const text = () => readFileSync(bench.file('a.txt'), 'utf8');
  const type = (typed: string) => {
    writeFileSync(bench.file('a.txt'), typed);
    editors.show(bench.file('a.txt'), typed);
  };

  it('has no row of an edit that did not fit, and counts nothing typed later as the agent’s', async () => {
    meanwhile = () => type('a\ntyped\nc\nd\n');
    await assert.rejects(write('a\nB\nc\nd\n'), { reason: 'changed' });
    assert.deepEqual(await bench.database.fileSnapshots.pending(session), []);
    type('a\ntyped\nc\nd\nmore\n');
    assert.deepEqual(await list(), []);
    await assert.rejects(bench.changes.undo(session, null), { code: 'reviewGone' });
    assert.equal(text(), 'a\ntyped\nc\nd\nmore\n');
    await bench.checkReferences();
  });

  it('keeps the row of an earlier edit of the same message', async () => {
    await write('A\nb\nc\nd\n');
    meanwhile = () => type('A\nb\ntyped\nd\n');
    await assert.rejects(write('A\nb\nC\nd\n'), { reason: 'changed' });
    assert.deepEqual(await list(), [['a.txt', 1, 1]]);
    await bench.changes.undo(session, null);
    assert.equal(text(), 'a\nb\ntyped\nd\n');
    await bench.checkReferences();
  });

  it('has only the lines of the agent where the person typed elsewhere just before the edit', async () => {
    meanwhile = () => type('a\nb\nc\nd\ntyped\n');
    await write('a\nB\nc\nd\n');
    assert.deepEqual([text(), await list()], ['a\nB\nc\nd\ntyped\n', [['a.txt', 1, 1]]]);
    await bench.changes.undo(session, null);
    assert.equal(text(), 'a\nb\nc\nd\ntyped\n');
    await bench.checkReferences();
  });

  it('has only the lines of the agent where the person typed before its second edit, too', async () => {
    await write('a\nB\nc\nd\n');
    meanwhile = () => type('a\nB\nc\nd\ntyped\n');
    await write('a\nB\nC\nd\n');
    assert.deepEqual([text(), await list()], ['a\nB\nC\nd\ntyped\n', [['a.txt', 2, 2]]]);
    await bench.changes.undo(session, null);
    assert.equal(text(), 'a\nb\nc\nd\ntyped\n');
    await bench.checkReferences();
  });

  it('has only the lines of the agent where an edit could not be saved', async () => {
    editors.problem = new FileError('unsaved', phrase('Not saved.'));
    await assert.rejects(write('a\nB\nc\nd\n'), { reason: 'unsaved' });
    type('a\nB\nc\nd\ntyped\n');
    assert.deepEqual(await list(), [['a.txt', 1, 1]]);
    await bench.changes.undo(session, null);
    assert.equal(text(), 'a\nb\nc\nd\ntyped\n');
    await bench.checkReferences();
  });

  it('has no row of a file that could not be created, renamed or deleted', async () => {
    meanwhile = () => writeFileSync(bench.file('new.txt'), 'of the person\n');
    await assert.rejects(changes.create(target('new.txt'), 'of the agent\n', origin()), { reason: 'exists' });
    meanwhile = () => undefined;
    writeFileSync(bench.file('closed.txt'), original);
    await assert.rejects(changes.rename(await changes.readFile(target('closed.txt')), target('new.txt'), origin()), {
      reason: 'exists',
    });
    const state = await changes.readFile(target('new.txt'));
    meanwhile = () => writeFileSync(bench.file('new.txt'), 'of the person, and more\n');
    await assert.rejects(changes.remove(state, origin()), { reason: 'changed' });
    assert.deepEqual(await bench.database.fileSnapshots.pending(session), []);
    assert.equal(readFileSync(bench.file('new.txt'), 'utf8'), 'of the person, and more\n');
  });

  it('has no row of a file that the disk refused', async () => {
    // No file system allows a name of this length.
    const name = `${'n'.repeat(300)}.txt`;
    await assert.rejects(
      changes.create(target(name), 'new\n', origin()),
      (error: NodeJS.ErrnoException) => error.code !== undefined,
    );
    assert.deepEqual(await bench.database.fileSnapshots.pending(session), []);
  });
});
