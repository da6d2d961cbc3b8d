import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NewHistory } from '../../../src/services/checkpoint/engine/keptHistories';
import type { EngineClient } from '../../../src/services/checkpoint/host/engineClient';
import { HistoryKeeper } from '../../../src/services/checkpoint/host/historyKeeper';
import { silentLogger } from '../../../src/utils/logger';

describe('the keeper of Git histories', () => {
  let folder: string;
  let kept: [string, string][];
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'keeper-')));
    kept = [];
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Creates a repository with two commits. The first one is also on a remote. */
  function repository(name: string): string {
    const at = path.join(folder, name);
    mkdirSync(at);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-C', at, ...args], { stdio: 'ignore' });
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', name);
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    git('commit', '-q', '--allow-empty', '-m', `${name} again`);
    return at;
  }

  /** Returns a keeper whose engine knows these repositories. If `known` is null, the engine's query fails. */
  function keeper(known: string[] | null, copyMs?: number, folders: { path: string }[] = []): HistoryKeeper {
    const engine = {
      restores: {
        uncovered: async () => {
          if (known === null) throw new Error('The engine has ended');
          return { histories: known.map((root) => ({ root, path: '', isGone: false })), gone: [], goneCount: 0 };
        },
      },
      histories: {
        keepAgain: async () => false,
        keep: async ({ folder: of, facts }: NewHistory) =>
          void kept.push([path.basename(of), facts.part ?? ('entry' in facts ? 'copy' : 'bundle')]),
      },
    } as unknown as EngineClient;
    return new HistoryKeeper(engine, { folders: () => folders, logger: silentLogger }, copyMs);
  }
  const coming = (command: string) => {
    return { sessionId: 's', checkpointId: 'c', command, folder, signal: new AbortController().signal };
  };

  it('keeps the repositories that the command names where the engine cannot say which there are, and tells of the others', async () => {
    repository('one');
    mkdirSync(path.join(folder, 'torn', '.git'), { recursive: true });
    const command = 'rm -rf one; git -C one stash drop; git -C torn stash drop';
    assert.deepEqual(await keeper(null).keep(coming(command)), [path.join(folder, 'torn')]);
    assert.deepEqual(kept, [['one', 'copy']]);
  });

  it('keeps what no remote has, of each repository, where a copy takes too long, and names what is missing', async () => {
    const all = [repository('one'), repository('two')];
    assert.deepEqual(await keeper(all, 0).keep(coming('rm -rf one two')), []);
    assert.deepEqual(kept, [
      ['one', 'published'],
      ['two', 'published'],
    ]);
  });

  it('looks outside the workspace only at the paths of the command itself', async () => {
    repository('one');
    repository('two');
    const root = path.join(folder, 'workspace');
    mkdirSync(root);
    const inside = { ...coming('mv built ..; rm -rf ../two'), folder: root };
    assert.deepEqual(await keeper([], undefined, [{ path: root }]).keep(inside), []);
    assert.deepEqual(kept, [['two', 'copy']]);
  });

  it('keeps every history before a command in the sandbox, and knows afterwards which lost something', async () => {
    const one = repository('one');
    const two = repository('two');
    const all = keeper([one, two]);
    assert.deepEqual(await all.keep({ ...coming('python3 work.py'), isSandboxed: true }), []);
    assert.deepEqual(kept, [
      ['one', 'published'],
      ['two', 'published'],
    ]);
    assert.deepEqual(await all.intactSince('c'), [one, two]);
    rmSync(path.join(one, '.git', 'objects'), { recursive: true });
    const git = (...args: string[]) => execFileSync('git', ['-C', two, ...args], { stdio: 'ignore' });
    git('reset', '-q', '--hard', 'HEAD~1');
    assert.deepEqual(await all.intactSince('c'), [two]);
    git('reflog', 'expire', '--expire=now', '--all');
    assert.deepEqual(await all.intactSince('c'), []);
    assert.deepEqual(await all.intactSince('other'), []);
  });
});
