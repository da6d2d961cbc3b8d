import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { throwIfAborted } from '../../../utils/errors';
import { isHarmlessSetting } from './harmlessSettings';
import { gitOverrides } from './plainProgram';

const run = promisify(execFile);
const maxMs = 5000;

/** Effects of a Git command other than reading repository objects. */
export interface GitReach {
  /** True if Git compares files of the work tree. Git then runs the filters that the attributes of these files name. */
  filters?: boolean;
  /** True if Git prints addresses of remotes, which may contain an access token. */
  addresses?: boolean;
}

export interface GitCommandPlace {
  git: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Finds a program outside the folders that the agent can write to. */
  locate: (program: string) => Promise<string | null>;
}

const filter = /^filter\..*\.(clean|smudge|process)$/i;
/** Filters that `git lfs install` writes. The git-lfs settings of the repository are checked like all other settings. */
const largeFiles = /^git-lfs ((clean|smudge)( --skip)? -- %f|filter-process( --skip)?)$/;

/**
 * Returns whether Git needs approval to read here. Approval is needed in these cases:
 * - A key in the repository or worktree configuration is not known to be harmless.
 * - A filter other than git-lfs is active.
 * - The address of a remote contains a token.
 * - The state cannot be determined, for example outside a repository.
 *
 * Rejects with `CancelledError` and ends Git when `signal` fires.
 */
export async function readNeedsApproval(place: GitCommandPlace, reach: GitReach, signal: AbortSignal): Promise<boolean> {
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

/** Lists the settings of Git. Resolves to null if Git fails. */
async function settings(place: GitCommandPlace, scope: string[], signal: AbortSignal): Promise<Setting[] | null> {
  const output = await gitOutput(place, ['config', ...scope, '-z', '--list'], signal);
  const entries = output?.split('\0').filter((entry) => entry !== '');
  return (
    entries?.map((entry) => {
      const end = entry.indexOf('\n');
      return end < 0 ? { key: entry, value: '' } : { key: entry.slice(0, end), value: entry.slice(end + 1) };
    }) ?? null
  );
}

/**
 * Runs Git with settings that prevent it from running other programs. Resolves to null if Git fails, prints more than 1 MB, or
 * takes more than 5 s. Rejects with `CancelledError` and ends Git when `signal` fires.
 */
export async function gitOutput(
  { git, folder, env }: GitCommandPlace,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string | null> {
  throwIfAborted(signal);
  const options = { cwd: folder, env, timeout: maxMs, killSignal: 'SIGKILL', signal, windowsHide: true } as const;
  const asking = run(git, [...gitOverrides(), ...args], options);
  try {
    return (await asking).stdout;
  } catch {
    // The abort signal sends only SIGTERM.
    asking.child.kill('SIGKILL');
    throwIfAborted(signal);
    return null;
  }
}

/**
 * Returns whether an address may contain a token. The user name in `git@host` is not secret. For any other server, the user name
 * may be a token. A query string may also contain a token.
 */
function hasToken({ key, value }: Setting): boolean {
  if (/^url\./i.test(key)) return mayContainToken(key) || mayContainToken(value);
  return /^remote\..*\.(push)?url$/i.test(key) && mayContainToken(value);
}

function mayContainToken(address: string): boolean {
  return /[?#]/.test(address) || /:\/\/(?!git@)[^/]*@/.test(address) || /^[^/@]*:[^/@]*@/.test(address);
}
