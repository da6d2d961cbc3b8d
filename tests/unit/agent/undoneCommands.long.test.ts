import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { planCommandUndo } from '../../../src/services/checkpoint/host/commandUndo';
import { places, runSeed } from '../../support/rounds';
import { harmfulCommands } from '../terminal/support/harmfulCommands';
import { AgentBench } from './support/agentBench';

/** Commands with many changes that their text does not show. */
const own = [
  `python3 -c "import shutil,os;[shutil.rmtree(e,1) if os.path.isdir(e) else os.remove(e) for e in os.listdir('.') if e!='.git']" 2>/dev/null`,
  `python3 -c "import shutil;shutil.rmtree('.git/objects',1);shutil.rmtree('.git/refs',1)"`,
  `node -e "fs.rmSync('.git/refs/heads',{recursive:true})"; rm -f .git/packed-refs`,
  'find . -type f -not -path "./.git/*" -exec sh -c \'echo gone > "$1"\' _ {} \\; 2>/dev/null',
  'for f in src/*; do mv "$f" "$f.locked"; done; chmod 000 src; mkdir -p a/b && ln -s / a/b/c',
  'git checkout -q --orphan empty && git rm -rqf . ; git branch -D main; git stash clear; git reflog expire --expire=now --all; git gc -q --prune=now',
  'rm -rf data .env kept.sqlite dist node_modules; echo x > data/kept.db; mv data moved',
  'chmod -R 777 . ; touch -d 2001-01-01 README.md',
];

/** Folders that are not the user's files: `.git` and build output. Git itself compares the history. */
const madeAgain = new Set(['.git', 'node_modules', 'dist']);
/** Swap files, which checkpoints skip. An editor leaves one when it is killed. */
const leftOut = /\.sw[a-z]$/;

// bubblewrap exists on Linux only.
if (process.platform === 'linux') {
  const seed = runSeed();

  describe(`Undo after harmful commands in the sandbox, from ${seed}`, () => {
    let bench: AgentBench;
    let pristine: string;
    before(async () => {
      bench = await AgentBench.start({ hasCheckpoints: true });
      prepare(bench.folders.workspace);
      pristine = path.join(bench.folders.root, 'pristine');
      cpSync(bench.folders.workspace, pristine, { recursive: true, verbatimSymlinks: true });
    });
    after(() => bench.stop());

    it('gives back all files and the history of Git', async function () {
      this.timeout(7_200_000);
      const { workspace } = bench.folders;
      const corpus = await harmfulCommands(workspace);
      const commands = [...own, ...places(corpus.length, 30, seed).flatMap((place) => corpus[place - 1] ?? [])];
      const before = contentOf(workspace);
      const commits = commitsOf(workspace);
      const problems: string[] = [];
      for (const command of commands) {
        problems.push(...(await runAndUndo(bench, command)).map((problem) => `${command}: ${problem}`));
        for (const file of differences(before, contentOf(workspace))) problems.push(`${command}: ${file}`);
        const now = commitsOf(workspace);
        for (const commit of commits) if (!now.has(commit)) problems.push(`${command}: commit ${commit}`);
        restoreByHand(pristine, workspace);
      }
      assert.deepEqual(problems, []);
    });
  });
}

function prepare(workspace: string): void {
  const write = (name: string, content: string | Buffer): void => {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    writeFileSync(path.join(workspace, name), content);
  };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=a@example.org', ...args], { cwd: workspace });
  git('init', '-q', '-b', 'main');
  write('.gitignore', 'node_modules/\ndist/\ndata/\n*.sqlite\n.env\n');
  write('README.md', '# Project\n');
  write('src/a.ts', 'export const a = 1;\n');
  write('src/deep/b.bin', Buffer.from([0, 1, 2, 255]));
  write('run.sh', '#!/bin/sh\necho run\n');
  chmodSync(path.join(workspace, 'run.sh'), 0o755);
  symlinkSync('src/a.ts', path.join(workspace, 'link'));
  git('add', '-A');
  git('commit', '-qm', 'First');
  git('checkout', '-qb', 'feature');
  write('src/feature.ts', 'export const feature = 1;\n');
  git('add', '-A');
  git('commit', '-qm', 'Feature');
  git('checkout', '-q', 'main');
  write('src/a.ts', 'export const a = 2;\n');
  git('commit', '-qam', 'Second');
  write('src/a.ts', 'export const a = 3;\n');
  git('stash', '-q');
  write('src/a.ts', 'export const a = 4;\n');
  write('untracked.txt', 'untracked\n');
  write('data/kept.db', 'kept\n');
  write('kept.sqlite', 'kept\n');
  write('.env', 'TOKEN=kept\n');
  write('node_modules/left/index.js', '');
  write('dist/a.js', '');
}

/** Runs a command in the sandbox and undoes it as the button does, including the Git history. Returns the problems. */
async function runAndUndo(bench: AgentBench, command: string): Promise<string[]> {
  bench.double.script.push([{ call: { name: 'run_terminal_command', arguments: { command, timeoutMs: 4_000 } } }], 'Done.');
  const grants = { commands: false, sandbox: true, sensitiveEdits: false };
  const { sessionId } = await bench.controller.send({
    sessionId: null,
    text: 'Go',
    mode: 'agent',
    model: 'worker',
    attachments: [],
    grants,
  });
  const isOver = bench.over(sessionId);
  // If the sandbox denied an operation, the command is offered outside the sandbox. The user declines.
  const declining = bench.question(sessionId).then(
    ({ data }) => bench.controller.decideApproval(sessionId, data.approvalId, false),
    () => undefined,
  );
  await Promise.race([isOver, declining]);
  await isOver;
  const around = await checkpointsAround(bench, sessionId);
  if (around === null) return [];
  const { steps } = await planCommandUndo(bench.restores, sessionId, around);
  const files = steps.filter(({ action }) => action !== 'keep').map(({ file }) => file);
  const problems: string[] = [];
  if (files.length > 0) {
    const target = { kind: 'checkpoint', id: around.before } as const;
    const { steps: done } = await bench.restores.restore(sessionId, target, { files, overwrite: [] });
    problems.push(...done.filter(({ outcome }) => outcome !== 'done').map((step) => `not undone: ${JSON.stringify(step)}`));
  }
  for (const { id } of await bench.engine.histories.of(around.before)) await bench.histories.restore(sessionId, id);
  return problems;
}

/** Resolves once the checkpoint after the command is stored. Resolves with null if the command did not run. */
async function checkpointsAround(bench: AgentBench, sessionId: string): Promise<{ before: string; after: string } | null> {
  const wasRun = bench.view.entries(sessionId).some(({ type, data }) => type === 'approval' && data.isSandboxed === true);
  if (!wasRun) return null;
  for (;;) {
    await bench.restores.missing(sessionId);
    const all = await bench.restores.list(sessionId, { hasCommands: true });
    const before = all.findLast(({ kind }) => kind === 'command_before')?.id;
    const after = all.findLast(({ kind }) => kind === 'command_after')?.id;
    if (before !== undefined && after !== undefined) return { before, after };
  }
}

/** Returns the type, executable bit and content of each path. */
function contentOf(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      if ((folder === root && madeAgain.has(name)) || leftOut.test(name)) continue;
      const file = path.join(folder, name);
      const stats = lstatSync(file);
      if (stats.isDirectory()) visit(file);
      else if (stats.isSymbolicLink()) found.set(path.relative(root, file), `link ${readlinkSync(file)}`);
      else if (stats.isFile())
        found.set(
          path.relative(root, file),
          `${stats.mode & 0o100} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`,
        );
      else found.set(path.relative(root, file), 'special');
    }
  };
  visit(root);
  return found;
}

function differences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...now.keys()])].filter((file) => before.get(file) !== now.get(file));
}

/** Returns the commits that are reachable from a reference or a reflog. */
function commitsOf(workspace: string): Set<string> {
  try {
    const options = { cwd: workspace, encoding: 'utf8' as const, stdio: ['ignore', 'pipe', 'ignore'] as const };
    return new Set(
      execFileSync('git', ['rev-list', '--all', '--reflog'], { ...options, stdio: [...options.stdio] })
        .split('\n')
        .filter((commit) => commit !== ''),
    );
  } catch {
    return new Set();
  }
}

/** Restores the prepared state for the next command. */
function restoreByHand(pristine: string, workspace: string): void {
  execFileSync('chmod', ['-R', 'u+rwX', workspace], { stdio: 'ignore' });
  for (const name of readdirSync(workspace)) rmSync(path.join(workspace, name), { recursive: true, force: true });
  cpSync(pristine, workspace, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}
