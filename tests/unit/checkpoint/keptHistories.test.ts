import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findHistoryLoss } from '../../../src/services/terminal/judge/historyLoss';
import { AgentBench } from '../agent/support/agentBench';
import { EngineBench } from './support/engineBench';

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-C', folder, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();

/** Creates a repository with two commits and a stash. Its settings name a program that must not run. */
function repository(folder: string, hook: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  for (const text of ['one', 'two']) {
    writeFileSync(path.join(folder, 'a.txt'), `${text}\n`);
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', text);
  }
  writeFileSync(path.join(folder, 'a.txt'), 'stashed\n');
  git(folder, 'stash');
  mkdirSync(path.join(folder, '.git', 'hooks'), { recursive: true });
  writeFileSync(path.join(folder, '.git', 'hooks', 'reference-transaction'), `#!/bin/sh\ntouch ${hook}\n`, { mode: 0o755 });
  git(folder, 'config', 'core.fsmonitor', `touch ${hook}`);
}

describe('the Git history before a command', () => {
  let bench: AgentBench;
  let hook: string;
  let sessionId: string;
  before(async () => {
    bench = await AgentBench.start({ hasCheckpoints: true });
    hook = path.join(realpathSync(mkdtempSync(path.join(tmpdir(), 'hook-'))), 'ran');
  });
  after(() => bench.stop());

  /** Makes the agent run a command. Returns its checkpoint entry. */
  async function run(command: string) {
    bench.double.script.push([{ call: { name: 'run_terminal_command', arguments: { command } } }], 'Done.');
    sessionId = await bench.send('Go');
    await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, true);
    await bench.over(sessionId);
    const entry = await bench.view.waitFor(sessionId, ({ type, data }) => type === 'checkpoint' && data.command !== undefined);
    return entry.type === 'checkpoint' ? entry.data.command : undefined;
  }

  it('is kept, and comes back beside what is there, or as a repository where that is gone', async () => {
    const root = bench.file('.');
    repository(root, hook);
    const lib = bench.file('lib');
    repository(lib, hook);
    const stash = git(root, 'rev-parse', 'refs/stash');
    const tip = git(root, 'rev-parse', 'main');
    const libTip = git(lib, 'rev-parse', 'main');
    rmSync(hook, { force: true });

    const dropped = await run(
      'git stash drop; git reset --hard HEAD~1; git reflog expire --expire=now --all; git gc --prune=now -q',
    );
    rmSync(hook, { force: true });
    assert.deepEqual(
      dropped?.kept?.map(({ folder }) => folder),
      ['.'],
    );
    assert.throws(() => git(root, 'cat-file', '-e', stash));
    const id = dropped?.kept?.[0]?.id ?? 0;
    const { id: other } = await bench.database.sessions.create({ title: 'Other', mode: 'agent', model: null, projectPath: null });
    await assert.rejects(bench.histories.restore(other, id), { code: 'notFound' });
    assert.equal(git(root, 'for-each-ref', 'refs/ollama-copilot'), '');
    const { place } = await bench.histories.restore(sessionId, id);
    assert.equal(git(root, 'rev-parse', `${place}heads/main`), tip);
    assert.equal(git(root, 'show', `${place}stashes/0:a.txt`), 'stashed');
    assert.equal(git(root, 'rev-parse', `${place}stashes/0`), stash);
    assert.notEqual(git(root, 'rev-parse', 'main'), tip);
    assert.equal(existsSync(hook), false);

    const removed = await run('rm -rf lib');
    assert.deepEqual(
      removed?.kept?.map(({ folder }) => folder),
      ['lib'],
    );
    assert.deepEqual(removed?.uncovered?.histories, [{ folder: 'lib', isGone: true }]);
    assert.deepEqual(await bench.histories.restore(sessionId, removed?.kept?.[0]?.id ?? 0), { place: null, previous: null });
    assert.deepEqual([git(lib, 'rev-parse', 'HEAD'), git(lib, 'symbolic-ref', 'HEAD')], [libTip, 'refs/heads/main']);
    assert.equal(git(lib, 'log', '--format=%s', 'main'), 'two\none');
    assert.equal(existsSync(hook), false);
    assert.deepEqual(bench.problems, []);
  });

  it('is looked for by the parse of the command', async () => {
    const at = (command: string) => findHistoryLoss(command, '/w', false);
    const repositories = async (command: string) => (await at(command)).repositories;
    for (const command of [
      ...[
        'git stash drop',
        'git stash clear',
        'git stash pop',
        'git reset --hard HEAD~3',
        'git branch -D x',
        'git gc --prune=now',
      ],
      ...['git reflog expire --all', 'git rebase -i HEAD~3', 'git push --force', 'git push origin +main', 'git checkout -B main'],
      ...[
        'git switch -C main',
        'git update-ref -d refs/heads/x',
        'git filter-branch --all',
        'git commit --amend',
        'git tag -d v1',
      ],
      ...['sudo git -c a.b=c stash drop', 'true && git prune', 'bash -c "git stash drop"', 'git -C . stash drop'],
    ])
      assert.deepEqual(await repositories(command), ['/w'], command);
    assert.deepEqual(await repositories('git -C sub stash drop'), ['/w/sub']);
    assert.deepEqual(await repositories('cd sub && git stash drop'), ['/w/sub']);
    for (const command of [
      'git status',
      'git stash',
      'git stash list',
      'git log',
      'git commit -m x',
      'git branch x',
      'ls',
      'npm test',
    ])
      assert.deepEqual(await at(command), { repositories: [], removed: [] }, command);
    const removed = async (command: string) => (await at(command)).removed;
    assert.deepEqual(await removed('rm -rf lib'), ['/w/lib']);
    assert.deepEqual(await removed('rm -rf ./*'), ['/w']);
    assert.deepEqual(await removed('find . -name .git -delete'), ['/w']);
    assert.deepEqual(await removed('mv lib /tmp/x'), ['/w/lib', '/tmp/x']);
    assert.deepEqual(await removed('rm -rf $DIR'), ['/w']);
    assert.deepEqual(await removed('echo x > .git/HEAD; cat .git/config'), ['/w/.git/HEAD']);
    assert.deepEqual(await removed('dd if=/dev/null of=lib/.git/index'), ['/w/lib/.git/index']);
    for (const command of [
      'GIT_DIR=lib/.git git stash drop',
      'export GIT_DIR=lib/.git; git stash drop',
      'env GIT_DIR=lib/.git git gc',
    ])
      assert.deepEqual(await repositories(command), ['/w', '/w/lib/.git'], command);
  });
});

describe('a kept history', () => {
  it('has a number that no other ever had', () => {
    const bench = new EngineBench();
    try {
      bench.write('history.bundle', 'bundle');
      const file = path.join(bench.root, 'history.bundle');
      const kept = () => {
        const [{ id: checkpointId } = assert.fail()] = bench.engine.checkpoints.takeNow(
          'session',
          'message',
          'Before',
          bench.workspace,
        );
        const facts = { head: '', config: '', objectFormat: 'sha1' };
        bench.engine.histories.keep({ checkpointId, folder: '/w', isWhole: false, key: 'k', facts }, file);
        return bench.engine.histories.of(checkpointId)[0]?.id ?? 0;
      };
      const first = kept();
      bench.rows('DELETE FROM kept_histories');
      assert.ok(kept() > first);
    } finally {
      bench.clean();
    }
  });
});
