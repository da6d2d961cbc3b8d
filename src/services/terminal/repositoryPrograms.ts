import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { throwIfAborted } from '../../utils/errors';

const run = promisify(execFile);

/** Settings by which `git status` and `git diff` run a program on the files that they look at. */
const running = '^(filter\\..*\\.(clean|smudge|process)|diff\\..*\\.(textconv|command))$';
const maxMs = 5000;

/**
 * Whether the repository in which a folder lies names programs that git runs on its files, in its own settings or in files that
 * those include; also when that cannot be found out. What a person has set for all repositories is theirs. Rejects with
 * `CancelledError` once `signal` has fired, which ends git.
 */
export async function hasOwnPrograms(git: string, folder: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<boolean> {
  throwIfAborted(signal);
  const args = ['config', '--show-scope', '--name-only', '--get-regexp', running];
  const asking = run(git, args, { cwd: folder, env, timeout: maxMs, killSignal: 'SIGKILL', signal, windowsHide: true });
  try {
    return /^(local|worktree)\t/m.test((await asking).stdout);
  } catch (error) {
    // That the signal has fired only asks it to end.
    asking.child.kill('SIGKILL');
    throwIfAborted(signal);
    // Git ends with 1 where it found none.
    return (error as { code?: unknown }).code !== 1;
  }
}
