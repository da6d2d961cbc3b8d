import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fromHome } from '../../../../utils/files/fromHome';
import { readKept } from './keptFiles';
import { listSettings, type GitSetting } from './settingList';

/** Settings that a sandboxed command may change. None of them makes Git run a program or contact another server. */
const allowedKeys = /^branch\..*\.(remote|merge|rebase|description)$|^submodule\..*\.active$/i;
/** Keys that `git init` and `git clone` write to a new repository. */
const newKeys =
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$|^extensions\.(objectformat|refstorage)$|^remote\.[^.]+\.(url|fetch|tagopt)$/i;

/** Settings of a repository. Null if they cannot be read. */
export type RepositorySettings = readonly GitSetting[] | null;

/** Reads the settings of a Git folder without included files. `git` is the path of Git; null if Git is missing. */
export async function readSettings(folder: string, git: string | null): Promise<RepositorySettings> {
  const file = join(folder, 'config');
  const kept = await readKept(file);
  if (kept === null) return [];
  // Git would block on a pipe, and read endlessly from a device.
  return git === null || kept.kind === 'other' ? null : listSettings(git, file, false);
}

/** Returns whether all changed settings are allowed. A branch may track only a remote that existed before. */
export function isAllowedChange(before: RepositorySettings, now: RepositorySettings): boolean {
  if (now === null || before === null) return false;
  const remotes = before.flatMap(({ key }) => /^remote\.(.+)\.url$/is.exec(key)?.[1] ?? []);
  return [...without(now, before), ...without(before, now)].every(({ key, value }) => {
    const isRemote = /^branch\..*\.remote$/i.test(key);
    return allowedKeys.test(key) && (!isRemote || ['.', ...remotes].includes(value ?? ''));
  });
}

/** Returns whether the settings contain only keys that `git init` and `git clone` write, and allowed keys. */
export function isPlain(settings: RepositorySettings): boolean {
  return settings !== null && settings.every(({ key }) => newKeys.test(key) || allowedKeys.test(key));
}

/** Returns the absolute paths of the files that the settings include, and of the hooks folders that they name. */
export function pathsIn(settings: RepositorySettings, folder: string): { included: string[]; hooks: string[] } {
  const found = { included: [] as string[], hooks: [] as string[] };
  const workspace = folder.endsWith('/.git') ? dirname(folder) : folder;
  for (const { key, value } of settings ?? []) {
    const from = (base: string) => resolve(base, fromHome(value ?? '', homedir()));
    if (/^include(if\..*)?\.path$/is.test(key)) found.included.push(from(folder));
    else if (/^core\.hookspath$/i.test(key) && value !== null && value !== '') found.hooks.push(from(workspace));
  }
  return found;
}

/** Returns the settings that are not among `others`. */
function without(settings: readonly GitSetting[], others: readonly GitSetting[]): GitSetting[] {
  const known = new Set(others.map(({ key, value }) => JSON.stringify([key, value])));
  return settings.filter(({ key, value }) => !known.has(JSON.stringify([key, value])));
}
