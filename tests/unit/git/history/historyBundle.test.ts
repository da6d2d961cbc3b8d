import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PlainGit } from '../../../../src/services/git/history/gitProcess';
import { readBundle, writeBundle } from '../../../../src/services/git/history/historyBundle';
import { readHistory } from '../../../../src/services/git/history/historyState';
import { gitOverrides, readOnlyEnvironment } from '../../../../src/services/terminal/judge/plainProgram';
import { until } from '../../../support/until';

const plain: PlainGit = { git: 'git', overrules: gitOverrides(), env: readOnlyEnvironment() };
const never = new AbortController().signal;
const mostBytes = 1_000_000;

describe('a bundle of a Git history', () => {
  let folder: string;
  beforeEach(() => (folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'bundle-')))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-C', path.join(folder, 'from'), ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();

  /** Creates a repository with two commits. The first one is on a remote. */
  function repository(): string {
    const from = path.join(folder, 'from');
    mkdirSync(from);
    git('init', '-q', '-b', 'main');
    for (const text of ['one', 'two']) {
      writeFileSync(path.join(from, 'a.txt'), `${text}\n`);
      git('add', '-A');
      git('commit', '-q', '-m', text);
    }
    git('update-ref', 'refs/remotes/origin/main', 'HEAD~1');
    return from;
  }

  it('that cannot be read where there is no repository leaves none, so that the next one can', async () => {
    const from = { folder: repository(), isBare: false };
    const bundle = async (name: string) => {
      const state = await readHistory(plain, from, never);
      const file = path.join(folder, name);
      await writeBundle(plain, { state, others: [], staged: null }, { folder: `${file}.through`, file, mostBytes }, never);
      return { file, name: 'kept-1', head: state.head, config: state.config, objectFormat: state.objectFormat };
    };
    const to = path.join(folder, 'to');
    const place = { folder: to, isBare: false };
    mkdirSync(to);
    writeFileSync(path.join(to, 'b.txt'), 'b');
    // The bundle requires the commit that is on the remote.
    await assert.rejects(readBundle(plain, place, await bundle('part'), never));
    assert.deepEqual(readdirSync(to), ['b.txt']);
    git('update-ref', '-d', 'refs/remotes/origin/main');
    assert.equal(await readBundle(plain, place, await bundle('whole'), never), true);
    assert.deepEqual(readdirSync(to).sort(), ['.git', 'b.txt']);
    assert.equal(git('-C', to, 'log', '--format=%s', 'main'), 'two\none');
    assert.equal(git('-C', to, 'status', '--short'), 'D a.txt\n?? b.txt');
  });

  it('that grows too large is given up, with what git has started for it', async () => {
    const state = await readHistory(plain, { folder: repository(), isBare: false }, never);
    const file = path.join(folder, 'large.bundle');
    const program = path.join(folder, 'git');
    const script = `sleep 600 & echo $! > '${folder}/pid'; head -c 2000 /dev/zero > '${file}.lock'; wait`;
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const to = { folder: path.join(folder, 'through'), file, mostBytes: 1_000 };
    await assert.rejects(writeBundle({ ...plain, git: program }, { state, others: [], staged: null }, to, never));
    const pid = readFileSync(path.join(folder, 'pid'), 'utf8').trim();
    await until(() => !isRunning(pid));
  });
});

/** Returns true if a process is running and is not a zombie. */
function isRunning(pid: string): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' });
  return !/^(Z.*)?$/.test(stdout.trim());
}
