import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../src/utils/files/fileSystem';
import { temporaryName } from '../../../src/utils/files/temporaryName';
import { EngineBench } from './support/engineBench';
import { sha256Hex } from '../../../src/utils/sha256';

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const statusOf = (changes: { path: string; status: string }[]) => changes.map(({ path: file, status }) => `${status} ${file}`);

describe('CheckpointEngine', () => {
  it('keeps what was there, exactly, and tells what differs', () => {
    bench.write('crlf.txt', 'one\r\ntwo\r\n');
    bench.write('empty', '');
    bench.write('run.sh', '#!/bin/sh\n', 0o755);
    bench.write('e\u0301\u4eac/\u00e9.txt', 'names');
    symlinkSync('/nowhere/at all', bench.at('link'));
    const first = bench.checkpoint('First');
    bench.write('crlf.txt', 'one\ntwo\n');
    rmSync(bench.at('empty'));
    chmodSync(bench.at('run.sh'), 0o644);
    bench.write('new/deep/file', 'new');
    rmSync(bench.at('link'));
    symlinkSync('elsewhere', bench.at('link'));
    const second = bench.checkpoint('Second');
    assert.deepEqual(statusOf(bench.engine.checkpoints.diff(first, second)), [
      'modified crlf.txt',
      'deleted empty',
      'modified link',
      'added new/deep/file',
      'modified run.sh',
    ]);
    assert.deepEqual(
      ['crlf.txt', 'empty', 'link', 'e\u0301\u4eac/\u00e9.txt', 'none'].map((file) => bench.textAt(first, file)),
      ['one\r\ntwo\r\n', '', '/nowhere/at all', 'names', null],
    );
    assert.deepEqual([bench.textAt(second, 'crlf.txt'), bench.textAt(second, 'empty')], ['one\ntwo\n', null]);
    assert.equal(readlinkSync(bench.at('link')), 'elsewhere');
    bench.checkReferences();
  });

  it('does not take what is just being written beside a file, neither found by a walk nor told of', () => {
    const before = temporaryName();
    const since = temporaryName();
    bench.write('a.tmp', 'mine');
    bench.write(`deep/${before}`, 'half');
    const first = bench.checkpoint('First');
    bench.write(`deep/${since}`, 'half');
    bench.write('deep/b.txt', 'whole');
    const second = bench.checkpoint('Second');
    assert.deepEqual(statusOf(bench.engine.checkpoints.diff(first, second)), ['added deep/b.txt']);
    assert.deepEqual(
      bench.engine.checkpoints.files(second).map((file) => file.path),
      ['a.tmp', 'deep/b.txt'],
    );
  });

  it('precedes the first checkpoint of a session by its initial one, which is its approved state', () => {
    bench.write('a', 'a');
    bench.checkpoint('Before user message: hello');
    const [initial, message] = bench.engine.checkpoints.list('session');
    assert.deepEqual(
      [initial, message].map((info) => [info?.kind, info?.title, info?.workSession, info?.state, info?.fileCount]),
      [
        ['initial', 'Initial state', 'session_1', 'taken', 1],
        ['message', 'Before user message: hello', 'session_1', 'taken', 1],
      ],
    );
    assert.ok((initial?.id ?? '') < (message?.id ?? ''));
    assert.throws(() => bench.engine.checkpoints.remove(initial?.id ?? ''), { code: 'approved' });
  });

  it('takes one before each message, once, also where its row was added with the message', () => {
    bench.write('a', 'a');
    const message = (seq: number, content: string) =>
      bench.rows(
        `INSERT INTO messages (id, session_id, seq, revision, type, role, content, timestamp)
         VALUES (?, 'session', ?, ?, 'user_input', 'user', ?, ?)`,
        ...[`m${seq}`, seq, seq, content, seq],
      );
    const take = () => bench.engine.checkpoints.takeForMessage('session', bench.workspace, 9).map(({ title }) => title);
    assert.deepEqual(take(), []);
    message(1, 'Hello\nthere');
    assert.deepEqual(take(), ['Initial state', 'Before user message: Hello']);
    assert.deepEqual(take(), []);
    message(2, 'x'.repeat(100));
    bench.rows(`INSERT INTO checkpoints (id, session_id, message_id, kind, title, state, created_at)
      VALUES ('ckpt_9999999999999_1', 'session', 'm2', 'message', 'Before user message: Again', 'failed', 1)`);
    assert.deepEqual(take(), ['Before user message: Again']);
    assert.deepEqual(take(), []);
    assert.deepEqual(
      bench.engine.checkpoints.list('session').map(({ state, workSession }) => `${state} ${workSession}`),
      ['taken session_1', 'taken session_1', 'taken session_1'],
    );
  });

  it('says so where the agent has worked on the message before one could be taken, and leaves the message without', () => {
    const begun = Date.now();
    const entry = (seq: number, type: string, timestamp: number) =>
      bench.rows(
        `INSERT INTO messages (id, session_id, seq, revision, type, role, content, checkpoint_id, timestamp)
         VALUES (?, 'session', ?, ?, ?, 'user', 'Add tests', 'ckpt_${begun}_1', ?)`,
        ...[`m${seq}`, seq, seq, type, timestamp],
      );
    const take = () => bench.engine.checkpoints.takeForMessage('session', bench.workspace, 2).map(({ title }) => title);
    entry(1, 'user_input', begun - 10);
    bench.rows(`INSERT INTO checkpoints (id, session_id, message_id, kind, title, state, created_at)
      VALUES ('ckpt_${begun}_1', 'session', 'm1', 'message', 'Before user message: Add tests', 'failed', 1)`);
    assert.deepEqual(bench.engine.checkpoints.missing('session'), [`ckpt_${begun}_1`]);
    // Simulates a clock that was set back after this entry.
    entry(2, 'tool_call', begun + 3_600_000);
    assert.deepEqual(take(), ['Before continuing: Add tests']);
    assert.deepEqual(take(), []);
    assert.deepEqual(bench.engine.checkpoints.missing('session'), [`ckpt_${begun}_1`]);
  });

  it('takes the one before the message also where the model calls a tool meanwhile', () => {
    for (const [seq, type] of [
      [1, 'user_input'],
      [2, 'tool_call'],
    ] as const)
      bench.rows(
        `INSERT INTO messages (id, session_id, seq, revision, type, role, content, timestamp) VALUES (?, 'session', ?, ?, ?, 'user', 'Add tests', ?)`,
        ...[`m${seq}`, seq, seq, type, seq],
      );
    const taken = bench.engine.checkpoints.takeForMessage('session', bench.workspace, 1);
    assert.deepEqual(
      taken.map(({ title }) => title),
      ['Initial state', 'Before user message: Add tests'],
    );
  });

  it('puts one that had to wait before the message that was sent meanwhile', () => {
    bench.checkpoint('First');
    // The order must not depend on the clock.
    const later = Date.now() + 3_600_000;
    bench.rows(
      `INSERT INTO messages (id, session_id, seq, revision, type, role, content, timestamp)
       VALUES ('m5', 'session', 5, 5, 'user_input', 'user', 'Again', 1)`,
    );
    bench.rows(`INSERT INTO checkpoints (id, session_id, message_id, kind, title, state, created_at)
      VALUES ('ckpt_${later}_1', 'session', 'm5', 'message', 'Before user message: Again', 'failed', ${later})`);
    for (const [title, asked] of [
      ['After command', { at: later + 5_000, seq: 4 }],
      ['After another', { at: 0, seq: 4 }],
      ['Last', { at: 0, seq: 5 }],
    ] as const)
      bench.engine.checkpoints.takeNow('session', 'command_after', title, bench.workspace, asked);
    assert.deepEqual(
      bench.engine.checkpoints.list('session').map(({ title }) => title),
      ['Initial state', 'First', 'After command', 'After another', 'Before user message: Again', 'Last'],
    );
  });

  it('stores nothing for a workspace that has not changed', () => {
    bench.write('a', 'a');
    bench.settle();
    bench.checkpoint('One');
    bench.checkpoint('Two');
    assert.deepEqual(bench.rows('SELECT count(*) FROM manifests'), [[1]]);
    assert.deepEqual(bench.rows('SELECT count(DISTINCT manifest_id), count(*) FROM checkpoints'), [[1, 3]]);
  });

  it('sees an edit of the same size within one tick of the clock, and one whose time was set back', () => {
    bench.write('a', 'one');
    const first = bench.checkpoint('First');
    bench.write('a', 'two');
    const second = bench.checkpoint('Second');
    const long = new Date(0);
    utimesSync(bench.at('a'), long, long);
    bench.checkpoint('Settled');
    bench.write('a', 'six');
    utimesSync(bench.at('a'), long, long);
    const third = bench.checkpoint('Third');
    assert.deepEqual(
      [first, second, third].map((id) => bench.textAt(id, 'a')),
      ['one', 'two', 'six'],
    );
  });

  it('lists what it cannot hold, and takes the rest', () => {
    bench.write('large', Buffer.alloc(200_000, 1));
    bench.write('fine', 'fine');
    bench.workspace.maxFileBytes = 100_000;
    mkdirSync(bench.at('names'));
    const raw = Buffer.concat([Buffer.from(`${bench.at('names')}/`), Buffer.from([0x66, 0xff, 0x6f])]);
    writeFileSync(raw, 'not UTF-8');
    const id = bench.checkpoint('With problems');
    const { leftOut, fileCount } = bench.engine.checkpoints.list('session').at(-1) ?? {};
    assert.deepEqual(leftOut, { count: 2, unstableCount: 0 });
    assert.deepEqual(bench.problemsOf(id), [
      { root: bench.root, path: 'large', reason: 'tooLarge' },
      { root: bench.root, path: 'names/f\uFFFDo', reason: 'name' },
    ]);
    assert.equal(fileCount, 2);
    assert.throws(() => bench.textAt(id, 'large'), { code: 'tooLarge' });
    bench.write('large', Buffer.alloc(200_000, 2));
    assert.deepEqual(statusOf(bench.engine.checkpoints.diff(id, bench.checkpoint('After'))), ['modified large']);
  });

  it('stores what was over the limit once that is raised, in the same window and in the next', () => {
    // Old times, because recently changed files are always read again.
    const old = { mtimeMs: 1_000_000_000_000.5, ctimeMs: 1_000_000_000_000.5 };
    const settled: Partial<FileSystem> = {
      stat: (file) => Object.assign(nodeFileSystem.stat(file), old),
      lstat: (file) => {
        const stats = nodeFileSystem.lstat(file);
        return stats && Object.assign(stats, old);
      },
    };
    const problems = (id: string) => bench.problemsOf(id).map(({ path: file }) => file);
    for (const [index, name] of ['same window', 'next window'].entries()) {
      bench.workspace.maxFileBytes = 1_000_000;
      bench.reopen(settled);
      bench.write(name, Buffer.alloc(1_500_000, index));
      assert.ok(problems(bench.checkpoint('Before')).includes(name));
      if (name === 'next window') bench.reopen(settled);
      bench.workspace.maxFileBytes = 2_000_000;
      const id = bench.checkpoint('Raised');
      assert.deepEqual(problems(id), []);
      assert.equal(bench.textAt(id, name)?.length, 1_500_000);
    }
  });

  it('lists what may not be read, and a file that never stands still', () => {
    bench.write('secret', 'no');
    bench.write('busy', 'busy');
    bench.write('closed/inside', 'no');
    bench.settle();
    let writes = 0;
    bench.reopen({
      open: (file, flags, mode) => {
        if (file === bench.at('secret')) throw Object.assign(new Error('no'), { code: 'EACCES', syscall: 'open' });
        return nodeFileSystem.open(file, flags, mode);
      },
      list: (folder) => {
        if (folder === bench.at('closed')) throw Object.assign(new Error('no'), { code: 'EACCES', syscall: 'scandir' });
        return nodeFileSystem.list(folder);
      },
      read: (...given) => {
        if (given[4] === 0 && given[3] === 4) bench.write('busy', `busy${(writes += 1)}`.slice(-4));
        return nodeFileSystem.read(...given);
      },
    });
    const id = bench.checkpoint('With problems');
    assert.deepEqual(bench.engine.checkpoints.info(id).leftOut, { count: 3, unstableCount: 1 });
    const problems = bench.problemsOf(id);
    assert.deepEqual(problems.map(({ path: file, reason }) => `${reason} ${file}`).sort(), [
      'unreadable closed',
      'unreadable secret',
      'unstable busy',
    ]);
  });

  it('takes an ignored file that the agent is about to write, and knows what it was', () => {
    bench.write('.gitignore', 'secret\ncache/\n');
    bench.write('secret', 'mine');
    bench.write('other', 'other');
    const first = bench.checkpoint('First');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'secret');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'cache/deep/new');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'other');
    bench.write('secret', 'changed');
    bench.write('cache/deep/new', 'new');
    bench.write('cache/deep/not mine', 'not mine');
    const second = bench.checkpoint('Second');
    assert.deepEqual(statusOf(bench.engine.checkpoints.diff(first, second)), ['added cache/deep/new', 'modified secret']);
    assert.deepEqual(statusOf(bench.engine.checkpoints.diff(second, first)), ['deleted cache/deep/new', 'modified secret']);
    assert.deepEqual([bench.textAt(first, 'secret'), bench.textAt(first, 'other')], ['mine', 'other']);
    assert.deepEqual(bench.rows('SELECT path, kind, is_staged FROM staged_files ORDER BY path'), [
      ['cache/deep/new', 0, 0],
      ['secret', 1, 0],
    ]);
    rmSync(bench.at('cache/deep/new'));
    bench.write('secret', 'changed again');
    const third = bench.checkpoint('Third');
    assert.deepEqual(statusOf(bench.engine.checkpoints.diff(second, third)), ['deleted cache/deep/new', 'modified secret']);
    bench.checkReferences();
  });

  it('still waits for an ignored file that is about to be written when somebody only looked meanwhile', () => {
    bench.write('.gitignore', 'secret\n');
    const first = bench.checkpoint('First');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'secret');
    bench.engine.approvals.status('session', bench.workspace);
    bench.engine.checkpoints.diffNow(first, bench.workspace);
    bench.engine.restores.plan('session', { kind: 'checkpoint', id: first }, bench.workspace, {});
    bench.write('secret', 'new');
    assert.equal(bench.textAt(bench.checkpoint('Second'), 'secret'), 'new');
  });

  it('judges what it knows again when the rules change, also where a scan in between was given up', () => {
    const files = () => bench.engine.checkpoints.files(bench.checkpoint('Files')).map(({ path: file }) => file);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: bench.root, stdio: 'ignore' });
    for (const name of ['b', 'sub/a', 'sub/deep/a']) bench.write(name, name);
    assert.deepEqual(files(), ['b', 'sub/a', 'sub/deep/a']);
    bench.write('sub/.gitignore', 'a\n');
    let asked = 0;
    Object.defineProperty(bench, 'isCancelled', { get: () => (asked += 1) > 2, configurable: true });
    assert.throws(() => bench.checkpoint('Given up'), { code: 'cancelled' });
    Object.defineProperty(bench, 'isCancelled', { value: false });
    assert.deepEqual(files(), ['b', 'sub/.gitignore']);
    rmSync(bench.at('sub/.gitignore'));
    assert.deepEqual(files(), ['b', 'sub/a', 'sub/deep/a']);
    bench.write('.gitignore', 'sub/\n');
    assert.deepEqual(files(), ['.gitignore', 'b']);
    git('init', '-q');
    git('add', '-f', 'sub/a');
    assert.deepEqual(files(), ['.gitignore', 'b', 'sub/a']);
    git('add', '-f', 'sub/deep');
    git('rm', '--cached', '-q', 'sub/a');
    assert.deepEqual(files(), ['.gitignore', 'b', 'sub/deep/a']);
    bench.write('.git/info/exclude', 'b\n');
    assert.deepEqual(files(), ['.gitignore', 'sub/deep/a']);
    bench.workspace.exclude = ['!b', 'sub/deep'];
    assert.deepEqual(files(), ['.gitignore', 'b', 'sub/deep/a']);
  });

  it('takes it for changed where a folder or a link is in the place of a file, and the other way', () => {
    const kinds = (id: string) =>
      bench.engine.checkpoints.files(id).map(({ path: file, state }) => `${file} ${state.kind} ${state.size}`);
    for (const name of ['a', 'b', 'c/d']) bench.write(name, name);
    bench.checkpoint('Files');
    rmSync(bench.at('a'));
    bench.write('a/inside', 'x');
    rmSync(bench.at('b'));
    symlinkSync('a', bench.at('b'));
    rmSync(bench.at('c'), { recursive: true });
    bench.write('c', 'file');
    assert.deepEqual(kinds(bench.checkpoint('Others')), ['a/inside 1 1', 'b 2 1', 'c 1 4']);
    rmSync(bench.at('a'), { recursive: true });
    bench.write('a', 'a');
    rmSync(bench.at('b'));
    assert.deepEqual(kinds(bench.checkpoint('Back')), ['a 1 1', 'c 1 4']);
  });

  it('covers several folders, and compares those that both have', () => {
    const other = bench.folder();
    bench.write('a', 'a');
    const alone = bench.checkpoint('Alone');
    writeFileSync(path.join(other, 'b'), 'b');
    bench.workspace.roots = [other, bench.root];
    const both = bench.checkpoint('Both');
    writeFileSync(path.join(other, 'b'), 'c');
    assert.deepEqual(bench.engine.checkpoints.diff(alone, both), []);
    const [change, ...others] = bench.engine.checkpoints.diffNow(both, bench.workspace);
    assert.deepEqual([change?.root, change?.path, others.length], [other, 'b', 0]);
    assert.deepEqual([change?.before?.hash, change?.after?.hash], [sha256Hex(Buffer.from('b')), sha256Hex(Buffer.from('c'))]);
  });

  it('takes an ignored file that it holds also after a folder was added, or one of them went', () => {
    const other = bench.folder();
    bench.write('.gitignore', '.env\n');
    bench.checkpoint('First');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, '.env');
    bench.write('.env', 'one');
    assert.equal(bench.textAt(bench.checkpoint('Alone'), '.env'), 'one');
    bench.workspace.roots = [bench.root, other];
    bench.write('.env', 'two');
    assert.equal(bench.textAt(bench.checkpoint('Both'), '.env'), 'two');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'sub/.env');
    bench.write('sub/.env', 'sub');
    bench.checkpoint('More');
    bench.workspace.roots = [bench.root];
    assert.equal(bench.textAt(bench.checkpoint('Alone again'), 'sub/.env'), 'sub');
    bench.reopen();
    bench.workspace.roots = [other, bench.root];
    bench.write('sub/.env', 'changed');
    const last = bench.checkpoint('Both again');
    assert.deepEqual([bench.textAt(last, '.env'), bench.textAt(last, 'sub/.env')], ['two', 'changed']);
  });

  it('takes up where another process left it', () => {
    for (const name of ['a', 'b', 'c']) bench.write(name, name);
    const first = bench.checkpoint('First');
    bench.write('b', 'changed');
    bench.reopen();
    const second = bench.checkpoint('Second');
    renameSync(bench.at('c'), bench.at('d'));
    bench.reopen();
    const third = bench.checkpoint('Third');
    assert.deepEqual(statusOf(bench.engine.checkpoints.diff(first, third)), ['modified b', 'deleted c', 'added d']);
    assert.deepEqual(statusOf(bench.engine.checkpoints.diff(second, third)), ['deleted c', 'added d']);
    assert.deepEqual(
      bench.rows('SELECT position, (SELECT position FROM manifests b WHERE b.id = m.base_id) FROM manifests m ORDER BY id'),
      [
        [0, null],
        [1, 0],
        [2, 0],
      ],
    );
  });

  it('opens any of many checkpoints through few deltas, and all but the deleted ones stay as they were', () => {
    const ids: string[] = [];
    for (let step = 0; step < 70; step += 1) {
      bench.write(`f${step % 7}`, `step ${step}`);
      if (step % 9 === 0) rmSync(bench.at(`f${(step + 3) % 7}`), { force: true });
      ids.push(bench.checkpoint(`Step ${step}`));
    }
    const known = new Map(ids.map((id) => [id, bench.everything(id)]));
    const depth = `WITH RECURSIVE d (id, n) AS (SELECT id, 0 FROM manifests WHERE base_id IS NULL
      UNION ALL SELECT m.id, n + 1 FROM manifests m JOIN d ON m.base_id = d.id) SELECT max(n) FROM d`;
    assert.ok(Number(bench.rows(depth)[0]?.[0]) <= 7);
    for (const [index, id] of ids.entries()) if ((index * 7) % 10 < 6 && bench.isRemovable(id)) bench.remove(id, known);
    for (const [id, files] of known) assert.deepEqual(bench.everything(id), files);
    bench.checkReferences();
    assert.equal(bench.engine.checkpoints.removeOlder('session', Date.now() + 1_000), known.size);
    bench.checkReferences();
  });

  it('marks a checkpoint that could not be stored, keeps nothing of it, and takes the next one whole', () => {
    bench.write('a', 'a');
    const codes: unknown[] = [];
    for (let at = 1; at <= 8; at += 1) {
      bench.write('a', `attempt ${at}`);
      bench.reopen();
      bench.faulty.arm(at, 'EIO');
      try {
        bench.checkpoint('A try', 'manual');
      } catch (error) {
        codes.push((error as { code: string }).code);
        const { id = '', state } = bench.engine.checkpoints.list('session').at(-1) ?? {};
        assert.equal(state, 'failed');
        assert.throws(() => bench.engine.checkpoints.diff(id, id), { code: 'notTaken' });
      }
      bench.faulty.arm(0, 'EIO');
      assert.equal(bench.textAt(bench.checkpoint('Next'), 'a'), `attempt ${at}`);
    }
    assert.ok(codes.length > 1 && codes.every((code) => code === 'EIO'), codes.join());
    bench.checkReferences();
  });

  it('takes a disk that is full in the middle of a scan for that, not for files that cannot be read', () => {
    const names = Array.from({ length: 12 }, (_, index) => `file${index}`);
    for (const name of names) bench.write(name, name.repeat(10_000));
    for (let at = 1; at <= 4; at += 1) {
      bench.faulty.arm(at, 'ENOSPC', ['write']);
      assert.throws(() => bench.checkpoint('Fails'), { code: 'ENOSPC' });
    }
    bench.faulty.arm(0, 'ENOSPC');
    const id = bench.checkpoint('All of it');
    for (const name of names) assert.equal(bench.textAt(id, name), name.repeat(10_000));
    assert.deepEqual(bench.problemsOf(id), []);
  });

  it('gives up when it is told to', () => {
    bench.write('a', 'a');
    bench.isCancelled = true;
    assert.throws(() => bench.checkpoint('Never', 'manual'), { code: 'cancelled' });
    bench.isCancelled = false;
    assert.deepEqual(
      bench.engine.checkpoints.list('session').map(({ state }) => state),
      ['failed', 'failed'],
    );
    assert.equal(bench.textAt(bench.checkpoint('Then'), 'a'), 'a');
  });
});
