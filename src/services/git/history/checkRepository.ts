import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { GitFailure, runGit, type PlainGit } from './gitProcess';
import { argumentsForData, linkedFolder, looksLikeGit } from './repositories';

/** Time limit for one repository, in milliseconds. */
const maxMs = 120_000;

/** Thrown if objects are missing in a restored repository. */
export class DamagedHistory extends Error {}

/** Thrown if a restored repository is too large to be checked in time. */
export class UncheckedHistory extends Error {}

/**
 * Checks with `git fsck` that a repository and its submodules are complete. Rejects with `DamagedHistory` or `UncheckedHistory`.
 */
export async function checkRepository(git: PlainGit, directory: string, signal: AbortSignal): Promise<void> {
  const owner = (await linkedFolder(directory).catch(() => null)) ?? directory;
  await checkOne(git, owner, signal);
  for (const inside of await nestedIn(path.join(owner, 'modules')))
    await checkRepository(git, path.join(owner, 'modules', inside), signal);
}

/** Checks the repository in this data folder, but not its submodules. Rejects with `DamagedHistory` or `UncheckedHistory`. */
export async function checkOne(git: PlainGit, directory: string, signal: AbortSignal): Promise<void> {
  const fsck = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'];
  try {
    await runGit(git, [...argumentsForData(directory), ...fsck], { signal, maxMs });
  } catch (error) {
    if (error instanceof GitFailure) throw new DamagedHistory(error.message);
    throw signal.aborted || !isTimeout(error) ? error : new UncheckedHistory(`${directory} was not checked within ${maxMs} ms`);
  }
}

/** Returns the repositories in a folder of submodules. Paths are relative to the folder. Excludes submodules of submodules. */
export async function nestedIn(folder: string, inside = ''): Promise<string[]> {
  const entries = await readdir(path.join(folder, inside), { withFileTypes: true }).catch(() => []);
  if (inside !== '' && looksLikeGit(entries.map(({ name }) => name))) return [inside];
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return (await Promise.all(below.map((name) => nestedIn(folder, inside === '' ? name : `${inside}/${name}`)))).flat();
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
