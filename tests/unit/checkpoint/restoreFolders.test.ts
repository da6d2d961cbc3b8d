import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import type { RestoreOptions } from '../../../src/services/checkpoint/engine/restore/restorePlan';
import { EngineBench } from './support/engineBench';

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const all: RestoreOptions = { overwrite: 'all' };
const restore = (id: string, options: RestoreOptions = all) =>
  bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, options);

describe('a restore of several folders that was interrupted', () => {
  let other: string;
  let both: typeof bench.workspace;
  const contents = () => [path.join(other, 'theirs'), bench.at('ours')].map((file) => readFileSync(file, 'utf8'));
  const writeAll = (text: string) => {
    bench.write('ours', text);
    writeFileSync(path.join(other, 'theirs'), text);
  };
  const outcomes = () =>
    bench.engine.restores.recover(bench.workspace).flatMap(({ steps }) => steps.map(({ outcome }) => outcome));
  const running = () => bench.rows("SELECT id FROM operations WHERE state = 'running'").length;

  beforeEach(() => {
    other = bench.folder();
    both = { ...bench.workspace, roots: [bench.root, other] };
    writeAll('one');
    writeFileSync(path.join(other, 'gone'), 'one');
    const [id = ''] = bench.engine.checkpoints.takeNow('session', 'manual', 'First', both).map((info) => info.id);
    writeAll('two');
    rmSync(path.join(other, 'gone'));
    writeFileSync(path.join(other, 'new'), 'two');
    bench.engine.restores.restore('session', { kind: 'checkpoint', id }, both, all);
    bench.rows("UPDATE operations SET state = 'running', finished_at = NULL");
    writeAll('two');
  });

  it('is finished also where some of them are not open any more, and can be undone once they are', () => {
    const [recovered] = bench.engine.restores.recover(bench.workspace);
    assert.deepEqual(
      recovered?.steps.map(({ outcome }) => outcome),
      ['done', 'done', 'done', 'done'],
    );
    assert.deepEqual([contents(), running()], [['one', 'one'], 0]);
    const inAfter = bench.engine.checkpoints.files(recovered?.afterId ?? '').map(({ root }) => root);
    assert.deepEqual(new Set(inAfter), new Set([bench.root, other]));
    // Nothing has changed since then, so there is no conflict.
    bench.engine.restores.restore('session', { kind: 'restore', id: recovered?.operationId ?? '' }, both, {});
    assert.deepEqual(
      [contents(), readdirSync(other).sort()],
      [
        ['two', 'two'],
        ['new', 'theirs'],
      ],
    );
  });

  it('is left to others where none of them is open', () => {
    bench.workspace.roots = [bench.folder()];
    assert.deepEqual([outcomes(), contents(), running()], [[], ['two', 'two'], 1]);
  });

  it('fails in a folder that is gone, which is not made again, and is done in the others', () => {
    rmSync(other, { recursive: true });
    assert.deepEqual(outcomes().sort(), ['done', 'failed', 'failed', 'failed']);
    assert.deepEqual([readFileSync(bench.at('ours'), 'utf8'), existsSync(other), running()], ['one', false, 0]);
  });

  it('is done and over also where one that is closed may not be looked into', () => {
    bench.reopen({
      list: (folder) => {
        if (folder === other) throw Object.assign(new Error('no'), { code: 'EACCES', syscall: 'scandir' });
        return nodeFileSystem.list(folder);
      },
    });
    assert.equal(outcomes().filter((outcome) => outcome === 'done').length, 4);
    assert.deepEqual([contents(), running()], [['one', 'one'], 0]);
  });

  it('waits for whoever works in any of them, and keeps no other from being finished', () => {
    const id = bench.checkpoint('Alone');
    bench.write('ours', 'three');
    bench.rows('UPDATE operations SET created_at = created_at - 1000');
    restore(id);
    bench.rows("UPDATE operations SET state = 'running', finished_at = NULL");
    bench.write('ours', 'three');

    bench.store.session('busy');
    bench.rows(
      "UPDATE sessions SET project_path = ?, owner = ?, heartbeat_at = ? WHERE id = 'busy'",
      other,
      bench.owner,
      Date.now(),
    );
    assert.throws(() => bench.engine.restores.recover(bench.workspace), { code: 'busy' });
    assert.deepEqual([contents(), running()], [['two', 'two'], 1]);
    bench.rows("UPDATE sessions SET owner = NULL WHERE id = 'busy'");

    bench.rows(
      `INSERT INTO operations (id, session_id, kind, state, owner, data, created_at, heartbeat_at)
       VALUES ('o', 'another', 'restore', 'running', 'elsewhere/1#1#window', json_object('roots', json_array(?)), ?, ?)`,
      ...[other, Date.now(), Date.now()],
    );
    assert.throws(() => bench.engine.restores.recover(bench.workspace), { code: 'underWay' });
    assert.deepEqual([contents(), running()], [['two', 'two'], 2]);
    bench.rows("DELETE FROM operations WHERE id = 'o'");

    assert.deepEqual([outcomes().length, contents(), running()], [4, ['one', 'one'], 0]);
  });
});

describe('a restore below a path of more than 260 characters', () => {
  /** Path that exceeds the usual Windows limit of 260 characters. */
  const deep = Array.from({ length: 12 }, (_unused, index) => `folder-${index}-${'n'.repeat(20)}`).join('/');

  it('brings back what was changed and deleted, and takes away what was added', () => {
    for (const name of ['changed', 'deleted']) bench.write(`${deep}/${name}.txt`, 'one');
    assert.ok(bench.at(`${deep}/changed.txt`).length > 260);
    const id = bench.checkpoint('First');
    bench.write(`${deep}/changed.txt`, 'two');
    rmSync(bench.at(`${deep}/deleted.txt`));
    bench.write(`${deep}/added.txt`, 'new');
    restore(id);
    assert.deepEqual(readdirSync(bench.at(deep)).sort(), ['changed.txt', 'deleted.txt']);
    for (const name of ['changed', 'deleted']) assert.equal(readFileSync(bench.at(`${deep}/${name}.txt`), 'utf8'), 'one');
  });
});

describe('a workspace folder that was deleted', () => {
  it('counts as empty, and a restore makes it again', () => {
    bench.write('a', 'one');
    bench.write('src/b', 'two');
    const before = bench.checkpoint('before', 'command_before');
    rmSync(bench.root, { recursive: true });
    const after = bench.checkpoint('after', 'command_after');
    assert.deepEqual(bench.everything(after), []);
    const steps = bench.engine.restores.plan('session', { kind: 'checkpoint', id: before }, bench.workspace, {});
    assert.deepEqual(
      steps.map(({ path: file, action }) => `${file} ${action}`),
      ['a create', 'src/b create'],
    );
    const { operationId, steps: done } = restore(before, {});
    assert.deepEqual(
      done.map(({ outcome }) => outcome),
      ['done', 'done'],
    );
    assert.equal(readFileSync(bench.at('src/b'), 'utf8'), 'two');
    bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, {});
    assert.deepEqual(readdirSync(bench.root), []);
  });

  it('is not taken for deleted where its parent is missing too', () => {
    const root = path.join(bench.folder(), 'disk', 'project');
    const workspace = { ...bench.workspace, roots: [root] };
    assert.throws(() => bench.engine.checkpoints.takeNow('session', 'manual', 'Away', workspace), { code: 'ENOENT' });
  });
});

describe('files that a person made by hand', () => {
  it('are still conflicts after a restore and its undo, the files of a command are not', () => {
    bench.write('a', 'one');
    const first = bench.checkpoint('first', 'message');
    const before = bench.checkpoint('before', 'command_before');
    bench.write('b', 'by the command');
    bench.engine.checkpoints.takeNow('session', 'command_after', 'after', bench.workspace, { follows: before });
    bench.write('mine', 'by hand');
    const actions = () =>
      bench.engine.restores
        .plan('session', { kind: 'checkpoint', id: first }, bench.workspace, {})
        .map(({ path: file, action }) => `${file} ${action}`);
    assert.deepEqual(actions(), ['b delete', 'mine conflict']);
    const { operationId } = restore(first);
    assert.deepEqual(readdirSync(bench.root), ['a']);
    bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, {});
    assert.deepEqual(readdirSync(bench.root).sort(), ['a', 'b', 'mine']);
    assert.deepEqual(actions(), ['b delete', 'mine conflict']);
  });
});
