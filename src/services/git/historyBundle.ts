import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { terminateGroup } from '../terminal/run/childProcessRunner';
import { startWithWatchdog } from '../terminal/run/groupWatch';
import { retryWhileInUse } from '../../utils/files/retryWhileInUse';

/** Git program, with arguments that override settings, and its environment. */
export interface PlainGit {
  git: string;
  overrules: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** State of a repository for a bundle. */
export interface HistoryState {
  /** Name and commit of each reference. Stashes are `refs/stashes/<n>`, entries of the reflog of `HEAD` are `refs/reflog/<n>`. */
  refs: { name: string; commit: string }[];
  /** Commits that remotes have. */
  remote: string[];
  /** Contents of `HEAD` and `config`. */
  head: string;
  config: string;
  objectFormat: string;
  /** Absolute paths. */
  objects: string;
  common: string;
}

/** Number of reflog entries of `HEAD` to keep, for commits that a reset or rebase left behind. */
const maxReflogEntries = 200;
/** Time limit of one call, in milliseconds. */
const maxMs = 20_000;
/** Output limit of one call, in bytes. */
const maxOutputBytes = 64 * 1024 * 1024;

class GitFailure extends Error {
  constructor(
    code: number | null,
    readonly stderr: string,
  ) {
    super(`git ended with ${code}: ${stderr.slice(0, 2_000)}`);
  }
}

/** Runs Git and returns its output. Rejects if it fails or is cancelled, after its processes have ended. */
async function call(git: PlainGit, args: readonly string[], { signal, input = '' }: { signal: AbortSignal; input?: string }) {
  const tooMuch = new AbortController();
  const until = AbortSignal.any([signal, tooMuch.signal, AbortSignal.timeout(maxMs)]);
  until.throwIfAborted();
  const child = startWithWatchdog(() =>
    spawn(git.git, [...git.overrules, ...args], {
      env: git.env,
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: 'pipe',
    }),
  );
  let size = 0;
  const read = (stream: Readable) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutputBytes) tooMuch.abort();
      else chunks.push(chunk);
    });
    return () => Buffer.concat(chunks).toString('utf8');
  };
  const [output, errors] = [read(child.stdout), read(child.stderr)];
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let stopped: Promise<void> | undefined;
  const stop = () => void (stopped = terminateGroup(child, ended));
  until.addEventListener('abort', stop, { once: true });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  try {
    const code = await ended;
    until.throwIfAborted();
    if (code !== 0) throw new GitFailure(code, errors());
    return output();
  } finally {
    until.removeEventListener('abort', stop);
    await stopped;
  }
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

/** Reads the state of a repository. Rejects if Git cannot read it. */
export async function readHistory(git: PlainGit, folder: string, signal: AbortSignal): Promise<HistoryState> {
  const ask = (...args: string[]) => call(git, ['-C', folder, ...args], { signal });
  const optional = (...args: string[]) => ask(...args).catch(() => '');
  const [directory = '', common = '', objects = ''] = linesOf(
    await ask('rev-parse', '--absolute-git-dir', '--git-common-dir', '--git-path', 'objects'),
  ).map((line) => path.resolve(folder, line));
  const objectFormat = (await optional('rev-parse', '--show-object-format')).trim() || 'sha1';
  const named = linesOf(await ask('for-each-ref', '--format=%(objectname) %(refname)')).map((line) => {
    const at = line.indexOf(' ');
    return { commit: line.slice(0, at), name: line.slice(at + 1) };
  });
  const logged = async (prefix: string, ...args: string[]) =>
    linesOf(await optional('rev-list', '-g', ...args, '--')).map((commit, at) => ({ commit, name: `${prefix}/${at}` }));
  const stashes = named.some(({ name }) => name === 'refs/stash') ? await logged('refs/stashes', 'refs/stash') : [];
  const reflog = await logged('refs/reflog', `--max-count=${maxReflogEntries}`, 'HEAD');
  return {
    refs: [...named.filter(({ name }) => name !== 'refs/stash'), ...stashes, ...reflog],
    remote: named.filter(({ name }) => name.startsWith('refs/remotes/')).map(({ commit }) => commit),
    head: await readFile(path.join(directory, 'HEAD'), 'utf8'),
    config: await readFile(path.join(common, 'config'), 'utf8').catch(() => ''),
    objectFormat,
    objects,
    common,
  };
}

/** Returns whether a repository still has everything that it had in `state`. Rejects if that takes too long. */
export async function hasHistory(git: PlainGit, folder: string, state: HistoryState, signal: AbortSignal): Promise<boolean> {
  const had = [...new Set(state.refs.map(({ commit }) => commit))];
  const remote = new Set(state.remote);
  const own = had.filter((commit) => !remote.has(commit));
  const ask = (args: string[], lines: readonly string[]) =>
    call(git, ['-C', folder, ...args], { signal, input: lines.map((line) => `${line}\n`).join('') });
  try {
    // All objects that no server has must exist, and something must still lead to each commit.
    await ask(['rev-list', '--quiet', '--objects', '--stdin'], [...own, ...[...remote].map((commit) => `^${commit}`)]);
    return (await ask(['rev-list', '--max-count=1', '--not', '--all', '--reflog', '--not', '--stdin'], had)) === '';
  } catch (error) {
    if (error instanceof GitFailure) return false;
    throw error;
  }
}

/**
 * Writes a bundle through a temporary repository in `folder` that borrows the objects, so that the original is only read. `isWhole`
 * includes what remotes have too. Resolves with false if there is nothing to keep. Rejects if Git fails or the bundle exceeds `mostBytes`.
 */
export async function writeBundle(
  git: PlainGit,
  state: HistoryState,
  to: { folder: string; file: string; isWhole: boolean; mostBytes: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { folder, file, isWhole, mostBytes } = to;
  const refs = state.refs.filter(({ name }) => isWhole || !name.startsWith('refs/remotes/'));
  if (refs.length === 0) return false;
  await mkdir(path.join(folder, 'objects', 'info'), { recursive: true });
  await mkdir(path.join(folder, 'refs'));
  const isPlain = state.objectFormat === 'sha1';
  const format = isPlain ? '' : `[extensions]\n\tobjectFormat = ${state.objectFormat}\n`;
  const packed = [...refs]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, commit }) => `${commit} ${name}\n`);
  await writeFile(path.join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(
    path.join(folder, 'config'),
    `[core]\n\trepositoryformatversion = ${isPlain ? 0 : 1}\n\tbare = true\n${format}`,
  );
  await writeFile(path.join(folder, 'objects', 'info', 'alternates'), `${JSON.stringify(state.objects)}\n`);
  await writeFile(path.join(folder, 'packed-refs'), `# pack-refs with: sorted \n${packed.join('')}`);
  await copyFile(path.join(state.common, 'shallow'), path.join(folder, 'shallow')).catch(() => undefined);
  const exclude = isWhole ? [] : [...new Set(state.remote)].map((commit) => `^${commit}\n`);
  const tooLarge = new AbortController();
  const watch = setInterval(() => {
    void stat(`${file}.lock`)
      .catch(() => stat(file))
      .then(({ size }) => size > mostBytes && tooLarge.abort())
      .catch(() => undefined);
  }, 50);
  try {
    const args = ['--git-dir', folder, 'bundle', 'create', '-q', file, '--all', '--stdin'];
    await call(git, args, { signal: AbortSignal.any([signal, tooLarge.signal]), input: exclude.join('') });
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  } finally {
    clearInterval(watch);
  }
  if ((await stat(file)).size > mostBytes) throw new Error('The bundle is too large');
  return true;
}

/** Returns true if Git refused because remotes have everything. */
function isRefusal(error: unknown): boolean {
  return error instanceof GitFailure && error.stderr.includes('empty bundle');
}

/** A stored bundle. In an existing repository, its references go below `refs/ollama-copilot/<name>/`. */
export interface StoredBundle {
  file: string;
  name: string;
  head: string;
  config: string;
  objectFormat: string;
}

/**
 * Restores a bundle. In an existing repository, only adds references below `refs/ollama-copilot/<name>/`. Otherwise creates the repository
 * with its references, `HEAD`, `config`, and an index of `HEAD`. Resolves with true if it was created. Rejects if Git fails, and then
 * creates nothing.
 */
export async function readBundle(git: PlainGit, folder: string, from: StoredBundle, signal: AbortSignal): Promise<boolean> {
  const isThere = await stat(path.join(folder, '.git')).then(
    () => true,
    () => false,
  );
  if (isThere) {
    const ask = (...args: string[]) => call(git, ['-C', folder, ...args], { signal });
    // A damaged repository gets the folders and files that it lacks.
    await ask('rev-parse', '--git-dir').catch(() => ask('init', '-q', '--template=', `--object-format=${from.objectFormat}`));
    await unbundle(git, folder, from, { signal, isOwn: () => false });
  } else await makeRepository(git, folder, from, signal);
  return !isThere;
}

/** Creates the repository in a temporary folder and moves it into place when complete. */
async function makeRepository(git: PlainGit, folder: string, from: StoredBundle, signal: AbortSignal): Promise<void> {
  const beside = await mkdtemp(path.join(folder, '.git-restore-'));
  try {
    const ask = (...args: string[]) => call(git, ['-C', beside, ...args], { signal });
    const directory = path.join(beside, '.git');
    await ask('init', '-q', '--template=', `--object-format=${from.objectFormat}`);
    await unbundle(git, beside, from, { signal, isOwn: (name) => !/^refs\/(stashes|reflog)\//.test(name) });
    await writeFile(path.join(directory, 'HEAD'), from.head);
    await ask('read-tree', 'HEAD').catch(() => undefined);
    if (from.config !== '') await writeFile(path.join(directory, 'config'), from.config);
    await retryWhileInUse(() => rename(directory, path.join(folder, '.git')));
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** `isOwn` returns true for references that keep their names. */
async function unbundle(
  git: PlainGit,
  folder: string,
  { file, name: below }: StoredBundle,
  { signal, isOwn }: { signal: AbortSignal; isOwn: (name: string) => boolean },
): Promise<void> {
  const lines = linesOf(await call(git, ['-C', folder, 'bundle', 'unbundle', file], { signal }));
  const updates = lines.map((line) => {
    const at = line.indexOf(' ');
    const [commit, name] = [line.slice(0, at), line.slice(at + 1)];
    return `update ${isOwn(name) ? name : name.replace(/^refs\//, `refs/ollama-copilot/${below}/`)} ${commit}\n`;
  });
  await call(git, ['-C', folder, 'update-ref', '--stdin'], { signal, input: updates.join('') });
}
