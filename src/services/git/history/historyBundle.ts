import { copyFile, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { retryWhileInUse } from '../../../utils/files/retryWhileInUse';
import { GitFailure, splitOutput, runGit, type PlainGit } from './gitProcess';
import type { HistoryState } from './historyState';
import { exists } from '../../../utils/files/exists';
import { argumentsFor, gitEntryPath, type GitPlace } from './repositories';
import { commitStaged } from './stagedContent';

/** Content of a bundle. */
export interface BundleContent {
  state: HistoryState;
  /** References that are stored in addition to `state.refs`. */
  others: HistoryState['refs'];
  /** Lines of the index; null to omit the index. */
  staged: string | null;
}

/**
 * Writes a bundle of the commits that no remote has. Uses a temporary repository in
 * `folder` that borrows the objects, so that the original is only read. Resolves with false
 * if there is nothing to save. Rejects if Git fails or the bundle exceeds `mostBytes`.
 */
export async function writeBundle(
  git: PlainGit,
  { state, others, staged }: BundleContent,
  to: { folder: string; file: string; mostBytes: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { folder, file, mostBytes } = to;
  await makeBorrower(folder, state);
  const refs = [...state.refs, ...others].filter(({ name }) => !name.startsWith('refs/remotes/'));
  const head = state.refs.find(({ name }) => name === 'refs/pseudo/HEAD')?.commit ?? null;
  const index = staged === null ? null : await commitStaged(git, staged, { directory: folder, head }, signal);
  if (index !== null) refs.push({ name: 'refs/staged/index', commit: index });
  if (refs.length === 0) return false;
  const packed = refs.sort((one, other) => (one.name < other.name ? -1 : 1)).map(({ name, commit }) => `${commit} ${name}\n`);
  await writeFile(path.join(folder, 'packed-refs'), `# pack-refs with: sorted \n${packed.join('')}`);
  const exclude = [...new Set(state.remote)].map((commit) => `^${commit}\n`);
  const tooLarge = new AbortController();
  const watch = setInterval(() => {
    void stat(`${file}.lock`)
      .catch(() => stat(file))
      .then(({ size }) => size > mostBytes && tooLarge.abort())
      .catch(() => undefined);
  }, 50);
  try {
    const args = ['--git-dir', folder, 'bundle', 'create', '-q', file, '--all', '--stdin'];
    await runGit(git, args, { signal: AbortSignal.any([signal, tooLarge.signal]), input: exclude.join('') });
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  } finally {
    clearInterval(watch);
  }
  if ((await stat(file)).size > mostBytes) throw new Error('The bundle is too large');
  return true;
}

/** Creates a repository that borrows the objects of another repository. */
async function makeBorrower(folder: string, { objectFormat, objects, common }: HistoryState): Promise<void> {
  await mkdir(path.join(folder, 'objects', 'info'), { recursive: true });
  await mkdir(path.join(folder, 'refs'));
  const isPlain = objectFormat === 'sha1';
  const format = isPlain ? '' : `[extensions]\n\tobjectFormat = ${objectFormat}\n`;
  await writeFile(path.join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(
    path.join(folder, 'config'),
    `[core]\n\trepositoryformatversion = ${isPlain ? 0 : 1}\n\tbare = true\n${format}`,
  );
  await writeFile(path.join(folder, 'objects', 'info', 'alternates'), `${JSON.stringify(objects)}\n`);
  await copyFile(path.join(common, 'shallow'), path.join(folder, 'shallow')).catch(() => undefined);
}

/** Returns true if Git did not create the bundle because remotes have everything. */
function isRefusal(error: unknown): boolean {
  return error instanceof GitFailure && error.stderr.includes('empty bundle');
}

/** Stored bundle. In an existing repository, its references are restored below `refs/ollama-copilot/<name>/`. */
export interface StoredBundle {
  file: string;
  name: string;
  head: string;
  config: string;
  objectFormat: string;
}

/**
 * Restores a bundle. In an existing repository, only adds references below `refs/ollama-copilot/<name>/`. Otherwise creates the
 * repository with its references, `HEAD`, `config`, and an index that matches `HEAD`. Resolves with true if the repository was
 * created. If Git fails, rejects and creates nothing.
 */
export async function readBundle(git: PlainGit, place: GitPlace, from: StoredBundle, signal: AbortSignal): Promise<boolean> {
  const isThere = await exists(gitEntryPath(place));
  if (isThere) {
    const ask = (...args: string[]) => runGit(git, [...argumentsFor(place), ...args], { signal });
    // Recreate the missing folders and files of a damaged repository.
    await ask('rev-parse', '--git-dir').catch(() => ask('init', '-q', '--template=', `--object-format=${from.objectFormat}`));
    await unbundle(git, argumentsFor(place), from, { signal, isOwn: () => false });
  } else await makeRepository(git, place.folder, from, signal);
  return !isThere;
}

/** Creates the repository in a temporary folder. Moves it to its final path when it is complete. */
async function makeRepository(git: PlainGit, folder: string, from: StoredBundle, signal: AbortSignal): Promise<void> {
  const beside = await mkdtemp(path.join(folder, '.git-restore-'));
  try {
    const ask = (...args: string[]) => runGit(git, ['-C', beside, ...args], { signal });
    const directory = path.join(beside, '.git');
    await ask('init', '-q', '--template=', `--object-format=${from.objectFormat}`);
    const isOwn = (name: string) => !/^refs\/(stashes|reflog|logs|pseudo|unfinished|staged)\//.test(name);
    await unbundle(git, ['-C', beside], from, { signal, isOwn });
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
  at: readonly string[],
  { file, name: below }: StoredBundle,
  { signal, isOwn }: { signal: AbortSignal; isOwn: (name: string) => boolean },
): Promise<void> {
  const lines = splitOutput(await runGit(git, [...at, 'bundle', 'unbundle', file], { signal }));
  const refs = lines.map((line) => {
    const space = line.indexOf(' ');
    return { commit: line.slice(0, space), name: line.slice(space + 1) };
  });
  const input = refs.map(({ name, commit }) => `update ${isOwn(name) ? name : keptName(name, below)} ${commit}\n`);
  await runGit(git, [...at, 'update-ref', '--stdin'], { signal, input: input.join('') });
}

/** Returns the name of a restored reference in an existing repository. */
export function keptName(name: string, below: string): string {
  return name.replace(/^refs\//, `refs/ollama-copilot/${below}/`);
}
