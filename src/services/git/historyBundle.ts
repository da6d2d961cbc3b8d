import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { terminateGroup } from '../terminal/run/childProcessRunner';
import { startWatched } from '../terminal/run/groupWatch';

/** A git that does nothing but what it is asked: its program, the arguments that overrule settings, and its environment. */
export interface PlainGit {
  git: string;
  overrules: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** Facts of a repository that a bundle is made by. */
export interface HistoryState {
  /** Name and commit of each reference; stashes are `refs/stashes/<n>`, what `HEAD` was lately `refs/reflog/<n>`. */
  refs: { name: string; commit: string }[];
  /** Commits that remotes have. */
  remote: string[];
  /** Content of `HEAD` and `config`. */
  head: string;
  config: string;
  objectFormat: string;
  /** Absolute paths. */
  objects: string;
  common: string;
}

/** Entries of the log of `HEAD` that are kept too: commits that a reset or a rebase left behind. */
const mostLogged = 200;
/** Longest time of one call, in milliseconds. */
const maxMs = 20_000;
/** Most output of one call, in bytes. */
const mostOutput = 64 * 1024 * 1024;

class GitFailure extends Error {
  constructor(
    code: number | null,
    readonly stderr: string,
  ) {
    super(`git ended with ${code}: ${stderr.slice(0, 2_000)}`);
  }
}

/** Runs git and returns its output. Rejects where it fails or has to be given up: then what it has started has ended too. */
async function call(git: PlainGit, args: readonly string[], { signal, input = '' }: { signal: AbortSignal; input?: string }) {
  const tooMuch = new AbortController();
  const until = AbortSignal.any([signal, tooMuch.signal, AbortSignal.timeout(maxMs)]);
  until.throwIfAborted();
  const child = startWatched(() =>
    spawn(git.git, [...git.overrules, ...args], {
      ...{ env: git.env, detached: process.platform !== 'win32', windowsHide: true, stdio: 'pipe' },
    }),
  );
  let size = 0;
  const read = (stream: Readable) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > mostOutput) tooMuch.abort();
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

/** Reads what a repository has. Rejects where git cannot read it. */
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
  const reflog = await logged('refs/reflog', `--max-count=${mostLogged}`, 'HEAD');
  return {
    refs: [...named.filter(({ name }) => name !== 'refs/stash'), ...stashes, ...reflog],
    remote: named.filter(({ name }) => name.startsWith('refs/remotes/')).map(({ commit }) => commit),
    head: await readFile(path.join(directory, 'HEAD'), 'utf8'),
    config: await readFile(path.join(common, 'config'), 'utf8').catch(() => ''),
    ...{ objectFormat, objects, common },
  };
}

/**
 * Writes a bundle of a repository through another one in `folder`, which borrows its objects: the repository itself is only read. `isWhole`: with what
 * remotes have too. Resolves with false where there is nothing to keep. Rejects where git fails or the bundle grows over `mostBytes`.
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

/** Tells whether git refused because remotes have everything. */
function isRefusal(error: unknown): boolean {
  return error instanceof GitFailure && error.stderr.includes('empty bundle');
}

/** A stored bundle: its references come below `refs/ollama-copilot/<name>/` where the repository is there. */
export interface StoredBundle {
  file: string;
  name: string;
  head: string;
  config: string;
  objectFormat: string;
}

/**
 * Brings a bundle back. Where the repository is there, its references come below `refs/ollama-copilot/<name>/` and nothing else changes; else it is made
 * anew, with its references, `HEAD` and `config`, and an index that has `HEAD`. Resolves with whether it was made. Rejects where git fails: then no
 * repository was made.
 */
export async function readBundle(git: PlainGit, folder: string, from: StoredBundle, signal: AbortSignal): Promise<boolean> {
  const isThere = await stat(path.join(folder, '.git')).then(
    () => true,
    () => false,
  );
  if (isThere) await unbundle(git, folder, from, { signal, isOwn: () => false });
  else await makeRepository(git, folder, from, signal);
  return !isThere;
}

/** Makes the repository in a folder beside, and moves it when it is whole. */
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
    await rename(directory, path.join(folder, '.git'));
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** `isOwn` tells which references keep their names. */
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
