import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { EngineClient } from '../../../../src/services/checkpoint/host/engineClient';
import { HistoryKeeper } from '../../../../src/services/checkpoint/host/historyKeeper';
import { silentLogger } from '../../../../src/utils/logger';
import { places, runSeed } from '../../../support/rounds';
import { EngineBench } from '../../checkpoint/support/engineBench';
import { destroyers, layouts, type GitLayout } from './support/gitLayouts';

const seed = runSeed();
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  LC_ALL: 'C.UTF-8',
  GIT_AUTHOR_NAME: 'T',
  GIT_AUTHOR_EMAIL: 't@example.org',
  GIT_COMMITTER_NAME: 'T',
  GIT_COMMITTER_EMAIL: 't@example.org',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'protocol.file.allow',
  GIT_CONFIG_VALUE_0: 'always',
};

/** Data of a repository. */
interface State {
  refs: string;
  head: string;
  staged: string;
  /** Objects of commits and staged content. */
  objects: string[];
  /** Content of the repository's configuration. */
  config: string;
}

describe(`a Git history before a command that destroys it, seed ${seed}`, () => {
  let bench: EngineBench;
  let source: string;
  beforeEach(() => {
    bench = new EngineBench();
    source = bench.folder();
    const script = `git init -q -b main; git config uploadpack.allowFilter true; mkdir d
      for i in 1 2 3 4; do echo $i > f$i; echo $i > d/g; git add .; git commit -qm c$i; done; git branch side; git branch b1; git tag v1`;
    run(source, script);
  });
  afterEach(() => bench.clean());

  function run(folder: string, script: string, variables: NodeJS.ProcessEnv = {}) {
    return spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8', env: { ...environment, ...variables } });
  }

  function git(data: string, ...args: string[]): string {
    const folder = bench.at(data);
    return spawnSync('git', ['--git-dir', folder, '--work-tree', folder, ...args], { encoding: 'utf8', env: environment }).stdout;
  }

  function stateOf(data: string): State {
    const staged = git(data, 'ls-files', '--stage');
    const blobs = staged.match(/(?<=^100\d+ )[\da-f]+/gm) ?? [];
    const commits = git(data, 'rev-list', '--all', '-g').split('\n');
    const tips = git(data, 'rev-list', '--all').split('\n');
    return {
      refs: git(data, 'for-each-ref', '--format=%(objectname) %(refname)').replace(/.* refs\/ollama-copilot\/.*\n/g, ''),
      head: git(data, 'rev-parse', 'HEAD'),
      staged,
      objects: [...new Set([...commits, ...tips, ...blobs])].filter((one) => one !== '').sort(),
      config: existsSync(bench.at(`${data}/config`)) ? readFileSync(bench.at(`${data}/config`), 'utf8') : '',
    };
  }

  function missing(data: string, objects: readonly string[]): string[] {
    return objects.filter((one) => git(data, 'cat-file', '-t', one) === '');
  }

  async function destroy(layout: GitLayout, { command: template, isDrop }: (typeof destroyers)[number]): Promise<void> {
    const made = run(bench.root, `set -e\n${layout.script}`, { SRC: source });
    assert.ok(existsSync(bench.at('lib')), made.stderr);
    const [main = ''] = layout.data;
    const command = template.replaceAll('$D', main);
    const before = new Map(layout.data.map((data) => [data, stateOf(data)]));
    const engine = bench.engine as unknown as EngineClient;
    const keeper = new HistoryKeeper(engine, { folders: () => [{ path: bench.root }], logger: silentLogger });
    const checkpointId = bench.checkpoint('before', 'command_before');
    const coming = { sessionId: 'session', checkpointId, command, folder: bench.root, signal: new AbortController().signal };
    assert.deepEqual(await keeper.keep(coming), []);
    run(bench.root, command);
    if (!main.endsWith('.git')) {
      const target = { kind: 'checkpoint', id: checkpointId } as const;
      bench.engine.restores.restore('session', target, bench.workspace, { overwrite: 'all' });
    }
    for (const { id, part } of bench.engine.histories.of(checkpointId)) {
      assert.equal(part, undefined);
      await keeper.restore('session', id);
    }
    for (const [data, had] of before) {
      if (isDrop) git(data, 'gc', '-q', '--prune=now');
      else assert.deepEqual(stateOf(data), had, data);
      assert.deepEqual(missing(data, had.objects), [], data);
      const folder = bench.at(data);
      const checked = run(bench.root, 'git --git-dir "$F" --work-tree "$F" fsck --connectivity-only', { F: folder });
      assert.equal(checked.status, 0, checked.stderr);
    }
  }

  const all = layouts.flatMap((layout) => destroyers.map((destroyer) => ({ layout, destroyer })));
  for (const place of places(all.length, 20, seed)) {
    const { layout, destroyer } = all[place - 1] ?? assert.fail();
    it(`is saved and restored: ${layout.name}; ${destroyer.command.slice(0, 40)}`, () => destroy(layout, destroyer));
  }

  it('is named if it cannot be saved', async () => {
    run(bench.root, layouts[0]?.script ?? '');
    mkdirSync(bench.at('torn/.git'), { recursive: true });
    const keeper = new HistoryKeeper(bench.engine as unknown as EngineClient, { folders: () => [], logger: silentLogger });
    const checkpointId = bench.checkpoint('before', 'command_before');
    const coming = { sessionId: 'session', checkpointId, folder: bench.root, signal: new AbortController().signal };
    assert.deepEqual(await keeper.keep({ ...coming, command: 'git -C torn stash drop; git -C lib stash drop' }), [
      path.join(bench.root, 'torn'),
    ]);
  });
});
