import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FilesOnDisk, type CurrentFile, type TargetState } from '../../../src/services/files/fileOnDisk';
import { PendingChanges } from '../../../src/services/review/pendingChanges';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { noEditors } from '../agent/support/editorDoubles';

const create = (file: string, content: string) => ({ call: { name: 'create_file', arguments: { path: file, content } } });
const rename = (file: string, newPath: string) => ({ call: { name: 'rename_file', arguments: { path: file, newPath } } });
const remove = (file: string) => ({ call: { name: 'delete_file', arguments: { path: file } } });

/** Simulates a disk on which names that differ only in case are the same file. */
class FoldingFiles extends FilesOnDisk {
  /** Name of the file that cannot be written. */
  refused: string | null = null;

  override async read(file: string, shown: string): Promise<CurrentFile> {
    return { ...(await super.read(real(file), shown)), path: file };
  }

  override identityAt(file: string): Promise<string | null> {
    return super.identityAt(real(file));
  }

  override bringTo(current: CurrentFile, wanted: TargetState): Promise<void> {
    if (wanted !== null && path.basename(current.path) === this.refused) return Promise.reject(new Error('The disk is full'));
    return super.bringTo({ ...current, path: real(current.path) }, wanted);
  }
}

function real(file: string): string {
  const name = path.basename(file).toLowerCase();
  const found = readdirSync(path.dirname(file)).find((other) => other.toLowerCase() === name);
  return found === undefined ? file : path.join(path.dirname(file), found);
}

describe('An undo of files that stand in the way of each other', () => {
  let bench: AgentBench;

  beforeEach(async () => {
    bench = await AgentBench.start({
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }],
      settings: { 'agent.loadTools': false },
    });
  });
  afterEach(() => bench.stop());

  async function agentDoes(calls: ReturnType<typeof create | typeof remove | typeof rename>[]): Promise<string> {
    bench.double.script.push(...calls.map((one) => [one]), 'Done.');
    return bench.ask('Do it');
  }

  const read = (name: string): string => readFileSync(bench.file(name), 'utf8');
  const undoOf = async (sessionId: string): Promise<number> =>
    (await bench.database.log.read(sessionId, 0)).entries.findLast((entry) => entry.type === 'review')?.seq ?? 0;

  const folding = (files = new FoldingFiles(noEditors)): PendingChanges => {
    const no = () => Promise.resolve(false);
    const questions = { replace: no, remove: no, merge: no };
    return new PendingChanges(bench.database, bench.snapshots, files, questions, silentLogger);
  };

  it('keeps a file of which only the case of its name was changed, on a disk that folds case', async () => {
    const changes = folding();
    writeFileSync(bench.file('readme.md'), 'read me\n');
    const sessionId = await agentDoes([remove('readme.md'), create('README.md', 'read me\n')]);

    assert.deepEqual((await changes.undo(sessionId, null)).left, []);
    assert.deepEqual([readdirSync(bench.file('.')), read('readme.md')], [['readme.md'], 'read me\n']);
    assert.deepEqual((await changes.revertAnswer(sessionId, await undoOf(sessionId))).left, []);
    assert.deepEqual([readdirSync(bench.file('.')), read('README.md')], [['README.md'], 'read me\n']);
  });

  it('keeps it as well where its renaming is taken back', async () => {
    writeFileSync(bench.file('readme.md'), 'read me\n');
    const sessionId = await agentDoes([rename('readme.md', 'README.md')]);
    await bench.changes.undo(sessionId, null);
    assert.deepEqual((await folding().revertAnswer(sessionId, await undoOf(sessionId))).left, []);
    assert.deepEqual([readdirSync(bench.file('.')), read('README.md')], [['README.md'], 'read me\n']);
  });

  for (const [way, calls] of [
    ['renamed it', [rename('readme.md', 'README.md')]],
    ['deleted it and created the other', [remove('readme.md'), create('README.md', 'read me\n')]],
  ] as const) {
    it(`keeps it as well where it is undone by itself: one change, where the agent ${way}`, async () => {
      const changes = folding();
      writeFileSync(bench.file('readme.md'), 'read me\n');
      const sessionId = await agentDoes([...calls]);
      assert.deepEqual(
        (await changes.list(sessionId)).map(({ status, from, shown }) => [status, from, shown]),
        [['renamed', 'readme.md', 'README.md']],
      );
      assert.deepEqual(await changes.undo(sessionId, [bench.file('README.md')]), { undone: ['README.md'], left: [] });
      assert.deepEqual([readdirSync(bench.file('.')), read('readme.md')], [['readme.md'], 'read me\n']);
      assert.deepEqual(await bench.database.fileSnapshots.pending(sessionId), []);
      assert.deepEqual((await changes.revertAnswer(sessionId, await undoOf(sessionId))).left, []);
      assert.deepEqual([readdirSync(bench.file('.')), read('README.md')], [['README.md'], 'read me\n']);
    });
  }

  it('puts it back by the name that it had, with what a person made of it, where it cannot come by the old one', async () => {
    const files = new FoldingFiles(noEditors);
    const changes = folding(files);
    writeFileSync(bench.file('readme.md'), 'read me\n');
    const sessionId = await agentDoes([rename('readme.md', 'README.md')]);
    writeFileSync(bench.file('README.md'), 'read me\nmine\n');
    chmodSync(bench.file('README.md'), 0o750);
    files.refused = 'readme.md';
    const left = [{ shown: 'README.md', reason: 'The disk is full' }];
    assert.deepEqual(await changes.undo(sessionId, null), { undone: [], left });
    assert.deepEqual([readdirSync(bench.file('.')), read('README.md')], [['README.md'], 'read me\nmine\n']);
    assert.equal(statSync(bench.file('README.md')).mode & 0o777, 0o750);

    files.refused = null;
    assert.deepEqual(await changes.undo(sessionId, null), { undone: ['README.md'], left: [] });
    assert.deepEqual([readdirSync(bench.file('.')), read('readme.md')], [['readme.md'], 'read me\nmine\n']);
  });

  it('brings back a file of a folder whose place the agent gave to a file', async () => {
    mkdirSync(bench.file('foo'));
    writeFileSync(bench.file('foo/bar.ts'), 'bar\n');
    const sessionId = await agentDoes([remove('foo/bar.ts')]);
    if (existsSync(bench.file('foo'))) rmdirSync(bench.file('foo'));
    bench.double.script.push([create('foo', 'foo\n')], 'Done.');
    await bench.ask('Go on', { sessionId });

    assert.deepEqual((await bench.changes.undo(sessionId, null)).left, []);
    assert.equal(read('foo/bar.ts'), 'bar\n');
    assert.deepEqual((await bench.changes.revertAnswer(sessionId, await undoOf(sessionId))).left, []);
    assert.equal(read('foo'), 'foo\n');
  });

  it('brings back a file whose place the agent gave to a folder', async () => {
    writeFileSync(bench.file('a'), 'a\n');
    const sessionId = await agentDoes([remove('a'), create('a/b', 'b\n')]);

    assert.deepEqual((await bench.changes.undo(sessionId, null)).left, []);
    assert.equal(read('a'), 'a\n');
    assert.deepEqual((await bench.changes.revertAnswer(sessionId, await undoOf(sessionId))).left, []);
    assert.equal(read('a/b'), 'b\n');
  });
});
