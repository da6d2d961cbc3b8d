import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { throwIfAborted } from '../../../utils/errors';
import { isHarmlessSetting } from './harmlessSettings';
import { gitOverrules } from './plainProgram';

const run = promisify(execFile);
const maxMs = 5000;

/** Effects of a git command besides reading its own objects. */
export interface GitReach {
  /** True if it compares files of the work tree, and so runs the filters that their attributes name. */
  filters?: boolean;
  /** True if it prints addresses of remotes, which may hold a token. */
  addresses?: boolean;
}

/** A git and where it is to run. */
export interface GitPlace {
  git: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Finds a program outside the folders that the agent may write to. */
  locate: (program: string) => Promise<string | null>;
}

const filter = /^filter\..*\.(clean|smudge|process)$/i;
/** Filters that `git lfs install` writes. Its settings of the repository are checked like all others. */
const largeFiles = /^git-lfs ((clean|smudge)( --skip)? -- %f|filter-process( --skip)?)$/;

/**
 * Returns whether a person has to be asked before git reads here: the repository's own settings (those of its work tree too) say
 * anything that is not known to do no harm, a filter other than git-lfs is in force, an address holds a token, or this cannot be
 * found out, as outside of a repository. Rejects with `CancelledError` once `signal` has fired, which ends git.
 */
export async function hasOwnPrograms(place: GitPlace, reach: GitReach, signal: AbortSignal): Promise<boolean> {
  const own = await settings(place, ['--local'], signal);
  if (own === null || !own.every(({ key }) => isHarmlessSetting(key))) return true;
  if (own.some(({ key }) => key.toLowerCase() === 'extensions.worktreeconfig')) {
    const ofTree = await settings(place, ['--worktree'], signal);
    if (ofTree === null || !ofTree.every(({ key }) => isHarmlessSetting(key))) return true;
  }
  if (reach.filters !== true && reach.addresses !== true) return false;
  const all = await settings(place, ['--includes'], signal);
  if (all === null) return true;
  if (reach.addresses === true && all.some(hasToken)) return true;
  const filters = reach.filters === true ? all.filter(({ key }) => filter.test(key)) : [];
  if (!filters.every(({ key, value }) => /^filter\.lfs\./i.test(key) && largeFiles.test(value))) return true;
  return filters.length > 0 && (await place.locate('git-lfs')) === null;
}

interface Setting {
  key: string;
  value: string;
}

/** Lists settings; null where git does not know them. */
async function settings(place: GitPlace, scope: string[], signal: AbortSignal): Promise<Setting[] | null> {
  throwIfAborted(signal);
  const { git, folder, env } = place;
  const args = [...gitOverrules(), 'config', ...scope, '-z', '--list'];
  const asking = run(git, args, { cwd: folder, env, timeout: maxMs, killSignal: 'SIGKILL', signal, windowsHide: true });
  try {
    const entries = (await asking).stdout.split('\0').filter((entry) => entry !== '');
    return entries.map((entry) => {
      const end = entry.indexOf('\n');
      return end < 0 ? { key: entry, value: '' } : { key: entry.slice(0, end), value: entry.slice(end + 1) };
    });
  } catch {
    // The signal only asks it to end.
    asking.child.kill('SIGKILL');
    throwIfAborted(signal);
    return null;
  }
}

/**
 * Tells whether an address holds a token. The name in `git@host` is no secret; one before any other server may be a token, and so may
 * what
 * follows a question mark.
 */
function hasToken({ key, value }: Setting): boolean {
  if (/^url\./i.test(key)) return isTelling(key) || isTelling(value);
  return /^remote\..*\.(push)?url$/i.test(key) && isTelling(value);
}

function isTelling(address: string): boolean {
  return /[?#]/.test(address) || /:\/\/(?!git@)[^/]*@/.test(address) || /^[^/@]*:[^/@]*@/.test(address);
}
