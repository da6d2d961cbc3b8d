import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { GitFailure, splitOutput, runGit, type PlainGit } from './gitProcess';
import { argumentsFor, type GitPlace } from './repositories';

/** State of a repository that is saved in a bundle. */
export interface HistoryState {
  /**
   * Name and commit of each reference. Stashes are `refs/stashes/<n>`. Reflog entries of
   * `HEAD` are `refs/reflog/<n>`, and those of other reflogs are `refs/logs/<n>`. `HEAD`
   * is `refs/pseudo/HEAD`. The `HEAD` of a linked working tree is `refs/pseudo/<name>`.
   */
  refs: { name: string; commit: string }[];
  /** Commits that remotes have. */
  remote: string[];
  /** Contents of `HEAD` and `config`. */
  head: string;
  config: string;
  objectFormat: string;
  /** Absolute paths. */
  directory: string;
  objects: string;
  common: string;
}

/** Number of reflog entries to save, for `HEAD` and for all others. They cover commits that a reset or rebase abandoned. */
const maxReflogEntries = 200;
/** Files in which an unfinished merge, rebase or reset stores commits. */
const pseudoFiles = [
  ...['ORIG_HEAD', 'MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD', 'BISECT_HEAD'],
  ...['rebase-merge/orig-head', 'rebase-merge/onto', 'rebase-apply/orig-head', 'rebase-apply/onto'],
];

/** Reads the state of a repository. Rejects if Git cannot read it. */
export async function readHistory(git: PlainGit, place: GitPlace, signal: AbortSignal): Promise<HistoryState> {
  const ask = (...args: string[]) => runGit(git, [...argumentsFor(place), ...args], { signal });
  const optional = (...args: string[]) => ask(...args).catch(() => '');
  const [directory = '', common = '', objects = ''] = splitOutput(
    await ask('rev-parse', '--absolute-git-dir', '--git-common-dir', '--git-path', 'objects'),
  ).map((line) => path.resolve(place.folder, line));
  const objectFormat = (await optional('rev-parse', '--show-object-format')).trim() || 'sha1';
  const named = splitOutput(await ask('for-each-ref', '--format=%(objectname) %(refname)')).map((line) => {
    const at = line.indexOf(' ');
    return { commit: line.slice(0, at), name: line.slice(at + 1) };
  });
  const logged = async (...args: string[]) => splitOutput(await optional('rev-list', '-g', ...args, '--'));
  const numbered = (prefix: string, commits: readonly string[]) =>
    commits.map((commit, at) => ({ commit, name: `${prefix}/${at}` }));
  const stashes = named.some(({ name }) => name === 'refs/stash') ? await logged('refs/stash') : [];
  const ofHead = await logged(`--max-count=${maxReflogEntries}`, 'HEAD');
  const refs = [
    ...named.filter(({ name }) => name !== 'refs/stash'),
    ...numbered('refs/stashes', stashes),
    ...numbered('refs/reflog', ofHead),
    ...(await readHeads(common, (await optional('rev-parse', '-q', '--verify', 'HEAD')).trim())),
  ];
  const known = new Set(refs.map(({ commit }) => commit));
  const others = new Set((await logged(`--max-count=${maxReflogEntries}`, '--all')).filter((commit) => !known.has(commit)));
  return {
    refs: [...refs, ...numbered('refs/logs', [...others])],
    remote: named.filter(({ name }) => name.startsWith('refs/remotes/')).map(({ commit }) => commit),
    head: await readFile(path.join(directory, 'HEAD'), 'utf8'),
    config: await readFile(path.join(common, 'config'), 'utf8').catch(() => ''),
    objectFormat,
    directory,
    objects,
    common,
  };
}

/** Returns the detached `HEAD` of each working tree. */
async function readHeads(common: string, own: string): Promise<HistoryState['refs']> {
  const heads = own === '' ? [] : [{ name: 'refs/pseudo/HEAD', commit: own }];
  for (const name of await readdir(path.join(common, 'worktrees')).catch(() => [])) {
    const [commit] = await commitsIn(path.join(common, 'worktrees', name, 'HEAD'));
    if (commit !== undefined) heads.push({ name: `refs/pseudo/${name}`, commit });
  }
  return heads;
}

async function commitsIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.match(/^[\da-f]{40,64}$/gm) ?? [];
}

/** Returns the commits of an unfinished merge, rebase or reset as references. Omits commits that no longer exist. */
export async function unfinishedCommits(
  git: PlainGit,
  place: GitPlace,
  { directory, common }: HistoryState,
  signal: AbortSignal,
): Promise<HistoryState['refs']> {
  const linked = await readdir(path.join(common, 'worktrees')).catch(() => []);
  const folders = [...new Set([directory, ...linked.map((name) => path.join(common, 'worktrees', name))])];
  const files = folders.flatMap((folder) => pseudoFiles.map((name) => path.join(folder, name)));
  const commits = new Set((await Promise.all(files.map(commitsIn))).flat());
  if (commits.size === 0) return [];
  const input = [...commits].map((commit) => `${commit}\n`).join('');
  const types = splitOutput(await runGit(git, [...argumentsFor(place), 'cat-file', '--batch-check'], { signal, input }));
  return types
    .filter((line) => line.split(' ')[1] === 'commit')
    .map((line, at) => ({ name: `refs/unfinished/${at}`, commit: line.split(' ')[0] ?? '' }));
}

/** Returns true if a repository still has everything from `state`. Rejects if the check takes too long. */
export async function hasHistory(git: PlainGit, place: GitPlace, state: HistoryState, signal: AbortSignal): Promise<boolean> {
  const had = [...new Set(state.refs.map(({ commit }) => commit))];
  const remote = new Set(state.remote);
  const own = had.filter((commit) => !remote.has(commit));
  const ask = (args: string[], lines: readonly string[]) =>
    runGit(git, [...argumentsFor(place), ...args], { signal, input: lines.map((line) => `${line}\n`).join('') });
  try {
    // All objects that no remote has must exist, and each commit must still be reachable.
    await ask(['rev-list', '--quiet', '--objects', '--stdin'], [...own, ...[...remote].map((commit) => `^${commit}`)]);
    return (await ask(['rev-list', '--max-count=1', '--not', '--all', '--reflog', '--not', '--stdin'], had)) === '';
  } catch (error) {
    if (error instanceof GitFailure) return false;
    throw error;
  }
}
