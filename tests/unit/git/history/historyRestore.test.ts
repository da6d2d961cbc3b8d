import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import path from 'node:path';
import type { EngineClient } from '../../../../src/services/checkpoint/host/engineClient';
import { HistoryKeeper } from '../../../../src/services/checkpoint/host/historyKeeper';
import { silentLogger } from '../../../../src/utils/logger';
import { EngineBench } from '../../checkpoint/support/engineBench';

describe('a restored Git history', () => {
  let bench: EngineBench;
  let keeper: HistoryKeeper;
  beforeEach(() => {
    bench = new EngineBench();
    const engine = bench.engine as unknown as EngineClient;
    keeper = new HistoryKeeper(engine, { folders: () => [{ path: bench.root }], logger: silentLogger });
  });
  afterEach(() => bench.clean());

  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-C', bench.at(folder), ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();

  function repository(folder: string): string {
    mkdirSync(bench.at(folder));
    git(folder, 'init', '-q', '-b', 'main');
    bench.write(`${folder}/a`, folder);
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', folder);
    return git(folder, 'rev-parse', 'HEAD');
  }

  /** Stores the histories that a command may delete. Returns their ids. */
  async function keep(command: string): Promise<number[]> {
    const checkpointId = bench.checkpoint('before', 'command_before');
    const signal = new AbortController().signal;
    assert.deepEqual(await keeper.keep({ sessionId: 'session', checkpointId, command, folder: bench.root, signal }), []);
    return bench.engine.histories.of(checkpointId).map(({ id }) => id);
  }

  it('leaves a new repository in its place, and adds references and hooks', async () => {
    const had = repository('lib');
    bench.write('lib/.git/hooks/pre-push', '#!/bin/sh\n', 0o755);
    const [id = 0] = await keep('rm -rf lib');
    rmSync(bench.at('lib'), { recursive: true });
    const has = repository('lib');
    assert.deepEqual(await keeper.restore('session', id), { place: `refs/ollama-copilot/kept-${id}/`, previous: null });
    assert.deepEqual([git('lib', 'rev-parse', 'main'), git('lib', 'symbolic-ref', 'HEAD')], [has, 'refs/heads/main']);
    assert.equal(git('lib', 'rev-parse', `refs/ollama-copilot/kept-${id}/heads/main`), had);
    assert.ok(existsSync(bench.at('lib/.git/hooks/pre-push')));
  });

  it('takes the place of data that Git refuses, which stays in it', async () => {
    const had = repository('lib');
    const [id = 0] = await keep('rm -rf lib/.git/objects');
    rmSync(bench.at('lib/.git/objects'), { recursive: true });
    bench.write('lib/.git/mine', 'mine');
    const { place, previous } = await keeper.restore('session', id);
    assert.deepEqual([place, previous], [null, bench.at(`lib/.git/ollama-copilot/before-kept-${id}`)]);
    assert.equal(git('lib', 'rev-parse', 'HEAD'), had);
    assert.equal(readFileSync(path.join(previous ?? '', 'mine'), 'utf8'), 'mine');
  });

  for (const isTaken of [false, true])
    it(`leaves the data that Git refuses where the copy cannot take its place${isTaken ? ', nor can the data return' : ''}`, async () => {
      repository('lib');
      const [id = 0] = await keep('rm -rf lib/.git/objects');
      rmSync(bench.at('lib/.git/objects'), { recursive: true });
      bench.write('lib/.git/mine', 'mine');
      const { rename } = promises;
      promises.rename = (from, to) => {
        const isRefused = to === bench.at('lib/.git') && (isTaken || path.basename(String(from)) === 'copy');
        return isRefused ? Promise.reject(new Error('in use')) : rename(from, to);
      };
      try {
        await assert.rejects(keeper.restore('session', id), { code: 'history' });
      } finally {
        promises.rename = rename;
      }
      const kept = readdirSync(bench.at('lib'), { recursive: true }).filter((name) => path.basename(String(name)) === 'mine');
      assert.equal(kept.length, 1);
      assert.equal(readFileSync(bench.at(`lib/${String(kept[0])}`), 'utf8'), 'mine');
      assert.equal(existsSync(bench.at('lib/.git/mine')), !isTaken);
    });

  it('of a linked working tree needs the repository to which it belongs', async () => {
    repository('lib');
    git('lib', 'worktree', 'add', '-q', '--detach', '../wt');
    const [id = 0] = await keep('rm -rf wt');
    rmSync(bench.at('wt'), { recursive: true });
    renameSync(bench.at('lib'), bench.at('moved'));
    await assert.rejects(keeper.restore('session', id), { code: 'history', message: 'git failed' });
    assert.equal(existsSync(bench.at('wt/.git')), false);
    renameSync(bench.at('moved'), bench.at('lib'));
    await keeper.restore('session', id);
    assert.equal(git('wt', 'rev-parse', 'HEAD'), git('lib', 'rev-parse', 'HEAD'));
  });

  it('that has changed since the last copy is stored again, otherwise not', async () => {
    repository('lib');
    const objects = () => bench.rows('SELECT count(DISTINCT object_id) FROM kept_histories')[0]?.[0];
    await keep('rm -rf lib');
    await keep('rm -rf lib');
    assert.equal(objects(), 1);
    git('lib', 'branch', 'other');
    await keep('rm -rf lib');
    assert.equal(objects(), 2);
  });

  it('is named before its checkpoint is deleted', async () => {
    for (const name of ['one', 'two']) repository(name);
    await keep('rm -rf one two');
    const { care } = bench.engine;
    const checkpointId = bench.checkpoint('later', 'command_before');
    const folders = [bench.at('one'), bench.at('two')];
    assert.deepEqual(care.historiesIn({ olderThan: Date.now() + 60_000 }), folders);
    assert.deepEqual([care.historiesIn({ olderThan: 0 }), care.historiesIn({ id: checkpointId })], [[], []]);
  });

  it('without the files of Git LFS says so where these are too large', async () => {
    repository('lib');
    mkdirSync(bench.at('lib/.git/lfs/objects'), { recursive: true });
    writeFileSync(bench.at('lib/.git/lfs/objects/large'), Buffer.alloc(51 * 1024 * 1024));
    const checkpointId = bench.checkpoint('before', 'command_before');
    const signal = new AbortController().signal;
    await keeper.keep({ sessionId: 'session', checkpointId, command: 'rm -rf lib', folder: bench.root, signal });
    assert.deepEqual(
      bench.engine.histories.of(checkpointId).map(({ part }) => part),
      ['lfs'],
    );
  });
});
