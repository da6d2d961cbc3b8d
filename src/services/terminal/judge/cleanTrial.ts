import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../../utils/files/isInside';
import { gitCleansIn, type GitClean } from './historyLoss';
import { locateProgram, readOnlyEnvironment } from './plainProgram';
import { gitOutput, readNeedsApproval } from './repositoryPrograms';

/** Maximum number of `git clean` calls in one command. */
const maxCleans = 5;

/** Working directory of a command and the workspace folders, as real paths. */
export interface TrialPlace {
  folder: string;
  roots: readonly string[];
}

/**
 * Returns the paths that the `git clean` calls in a command would remove now, relative to the folder. Folders end with `/`. Runs
 * Git as a dry run without hooks and without programs from the settings. Returns an empty list if the result is uncertain, for
 * example with variables or outside the workspace. Rejects with `CancelledError` once `signal` fires.
 */
export async function removedByClean(command: string, { folder, roots }: TrialPlace, signal: AbortSignal): Promise<string[]> {
  const cleans = await gitCleansIn(command, folder, process.platform === 'win32');
  if (cleans.length === 0 || cleans.length > maxCleans) return [];
  const git = await locateProgram('git', roots);
  if (git === null) return [];
  const removed = new Set<string>();
  for (const clean of cleans) {
    const names = await removedBy(clean, git, roots, signal);
    if (names === null) return [];
    for (const name of names) removed.add(shownFrom(folder, clean.folder, name));
  }
  return [...removed].sort();
}

async function removedBy(clean: GitClean, git: string, roots: readonly string[], signal: AbortSignal): Promise<string[] | null> {
  const args = trialArguments(clean.words);
  const folder = await realpath(clean.folder).catch(() => null);
  if (args === null || !clean.isPlain || folder === null || !roots.some((root) => isInside(folder, root))) return null;
  const env = { ...readOnlyEnvironment(), LC_ALL: 'C' };
  const place = { git, folder, env, locate: (program: string) => locateProgram(program, roots) };
  if (await readNeedsApproval(place, {}, signal)) return null;
  const output = await gitOutput(place, ['-c', 'core.quotePath=false', ...args], signal);
  return output === null ? null : [...output.matchAll(/^Would remove (.+)$/gm)].map(([, name = '']) => name);
}

/** Returns the arguments of a dry run. Returns null if a word is unknown or contains a part that the shell expands. */
function trialArguments(words: readonly string[]): string[] | null {
  const args = ['clean', '--dry-run'];
  const end = words.indexOf('--');
  const paths = end < 0 ? [] : words.slice(end + 1);
  const options = end < 0 ? [...words] : words.slice(0, end);
  for (let word = options.shift(); word !== undefined; word = options.shift()) {
    const [, flags, excluded] = /^-([dfqxX]*)(?:e(.*))?$/s.exec(word) ?? [];
    const pattern = /^--exclude(?:=(.*))?$/s.exec(word);
    if (flags !== undefined && word !== '-') args.push(...[...flags].filter((flag) => flag !== 'q').map((flag) => `-${flag}`));
    if (excluded !== undefined || pattern) {
      const given = excluded === '' ? options.shift() : (excluded ?? pattern?.[1] ?? options.shift());
      if (given === undefined || /[$`]/.test(given)) return null;
      args.push(`--exclude=${given}`);
    } else if (!word.startsWith('-')) paths.push(word);
    else if (flags === undefined && !/^--(force|quiet)$/.test(word)) return null;
  }
  const isReplaced = paths.some((one) => (one.startsWith(':') ? /[$`]/ : /[$`~{*?[]/).test(one));
  return isReplaced ? null : [...args, '--', ...paths];
}

function shownFrom(folder: string, from: string, name: string): string {
  // Git quotes names with special characters.
  if (name.startsWith('"')) return name;
  const shown = path.relative(folder, path.resolve(from, name)).split(path.sep).join('/');
  return name.endsWith('/') ? `${shown}/` : shown;
}
