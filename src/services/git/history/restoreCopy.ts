import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDirectory } from '../../../utils/files/isDirectory';
import { retryWhileInUse } from '../../../utils/files/retryWhileInUse';
import { checkOne, checkRepository, DamagedHistory, nestedIn, UncheckedHistory } from './checkRepository';
import { extractCopy } from './gitCopy';
import { GitFailure, runGit, type PlainGit } from './gitProcess';
import { keptName } from './historyBundle';
import { readHistory } from './historyState';
import { exists } from '../../../utils/files/exists';
import { argumentsForData, gitEntryPath, linkedFolder, type GitPlace } from './repositories';

/** Result of restoring a history. */
export interface RestoredHistory {
  /** Prefix of the restored references; null if the repository was created or replaced. */
  place: string | null;
  /** Absolute path of the replaced data, which Git rejected. Null if no data was replaced. */
  previous: string | null;
}

/** Thrown if the repository to which a `.git` file belongs does not exist. */
export class OwnerMissing extends Error {
  constructor(readonly folder: string) {
    super(`${folder} does not exist`);
  }
}

/** Thrown if the copy contains the user's data that could not be moved back. The copy must then not be deleted. */
class DataInCopy extends Error {}

/** Matches the parts whose missing files are added to a working repository. */
const addedParts = /^(objects|hooks|info|lfs|config|config\.worktree|description)(\/|$)/;

/**
 * Restores a copy of a repository's data. If the repository does not exist, creates it. If it works, adds missing files. If Git
 * rejects it, replaces it and moves its data to `ollama-copilot/before-<name>` in the new repository. Then checks the result. If
 * the check fails, rejects with `DamagedHistory` or `UncheckedHistory` and keeps the result. Rejects with `OwnerMissing`, or if
 * the copy cannot be read, without any change.
 */
export async function restoreCopy(
  git: PlainGit,
  at: GitPlace,
  { file, name }: { file: string; name: string },
  signal: AbortSignal,
): Promise<RestoredHistory> {
  const target = gitEntryPath(at);
  await mkdir(path.dirname(target), { recursive: true });
  const beside = await mkdtemp(path.join(path.dirname(target), '.git-restore-'));
  let hasData = false;
  try {
    const source = path.join(beside, 'copy');
    await extractCopy(file, source);
    if (!(await isDirectory(source))) return await restoreLink(source, target);
    const result = await restoreFolder(git, { source, target, name }, signal);
    await checkRepository(git, target, signal);
    return result;
  } catch (error) {
    hasData = error instanceof DataInCopy;
    throw error;
  } finally {
    if (!hasData) await rm(beside, { recursive: true, force: true });
  }
}

/** Restores a `.git` file, which contains the path of the data folder. Does not overwrite an existing file. */
async function restoreLink(source: string, target: string): Promise<RestoredHistory> {
  const owner = await linkedFolder(source, path.dirname(target)).catch(() => null);
  if (owner !== null && !(await exists(owner))) throw new OwnerMissing(owner);
  if (!(await exists(target))) await rename(source, target);
  else if ((await linkedFolder(target).catch(() => null)) === null) throw new Error(`${target} is something else now`);
  return { place: null, previous: null };
}

interface FolderToRestore {
  source: string;
  target: string;
  name: string;
}

async function restoreFolder(git: PlainGit, folders: FolderToRestore, signal: AbortSignal): Promise<RestoredHistory> {
  const { source, target } = folders;
  if (!(await exists(target))) {
    await mkdir(path.dirname(target), { recursive: true });
    await move(source, target);
    return { place: null, previous: null };
  }
  const owner = (await linkedFolder(target).catch(() => null)) ?? target;
  if (!(await isAccepted(git, owner, signal))) return replace({ ...folders, target: owner });
  const place = await addTo(git, { ...folders, target: owner }, signal);
  if (place === null) return replace({ ...folders, target: owner });
  let previous: string | null = null;
  for (const inside of await nestedIn(path.join(source, 'modules'))) {
    const nested = { ...folders, source: path.join(source, 'modules', inside), target: path.join(owner, 'modules', inside) };
    previous = (await restoreFolder(git, nested, signal)).previous ?? previous;
  }
  return { place, previous };
}

/**
 * Adds missing files, and the references below `refs/ollama-copilot/`. Resolves
 * with the prefix of the references. Resolves with null if Git then finds damage.
 */
async function addTo(git: PlainGit, { source, target, name }: FolderToRestore, signal: AbortSignal): Promise<string | null> {
  const head = (folder: string) => readFile(path.join(folder, 'HEAD'), 'utf8');
  await addMissing(source, target, addedParts);
  if (!(await exists(path.join(target, 'logs')))) await addMissing(source, target, /^logs(\/|$)/);
  if ((await head(source)) === (await head(target))) await addMissing(source, target, /^index$/);
  const works = (): Promise<boolean> =>
    checkOne(git, target, signal).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DamagedHistory) return false;
        // The check at the end reports this error.
        if (error instanceof UncheckedHistory) return true;
        throw error;
      },
    );
  if (!(await works())) {
    // Without this list, Git reports commits as missing if a shallow clone did not fetch them.
    await addMissing(source, target, /^shallow$/);
    if (!(await works())) return null;
  }
  const { refs } = await readHistory(git, { folder: source, isBare: true }, signal);
  const input = refs.map((ref) => `update ${keptName(ref.name, name)} ${ref.commit}\n`).join('');
  await runGit(git, [...argumentsForData(target), 'update-ref', '--stdin'], { signal, input });
  return `refs/ollama-copilot/${name}/`;
}

/** Moves data that Git rejects into the copy, then moves the copy to the path of the data. If this fails, moves the data back. */
async function replace({ source, target, name }: FolderToRestore): Promise<RestoredHistory> {
  const inside = path.join('ollama-copilot', `before-${name}`);
  const aside = path.join(source, inside);
  await mkdir(path.dirname(aside), { recursive: true });
  await move(target, aside);
  try {
    await move(source, target);
  } catch (error) {
    await move(aside, target).catch(() => {
      throw new DataInCopy(`${target} could not be moved back from ${aside}`, { cause: error });
    });
    throw error;
  }
  return { place: null, previous: path.join(target, inside) };
}

async function isAccepted(git: PlainGit, directory: string, signal: AbortSignal): Promise<boolean> {
  return runGit(git, [...argumentsForData(directory), 'rev-parse', '--git-dir'], { signal }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitFailure) return false;
      throw error;
    },
  );
}

/** Copies the wanted files if they do not exist. */
async function addMissing(source: string, target: string, wanted: RegExp): Promise<void> {
  const filter = (file: string) => {
    const inside = path.relative(source, file).split(path.sep).join('/');
    return inside === '' || wanted.test(inside);
  };
  await cp(source, target, { recursive: true, force: false, errorOnExist: false, verbatimSymlinks: true, filter });
}

function move(from: string, to: string): Promise<void> {
  return retryWhileInUse(() => rename(from, to));
}
