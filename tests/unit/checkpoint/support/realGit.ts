import { execFileSync } from 'node:child_process';

const own = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
const person = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' };

/** Runs Git in a folder. Returns false if it fails. */
export function git(folder: string, ...args: string[]): boolean {
  try {
    execFileSync('git', args, { cwd: folder, stdio: 'ignore', env: { ...process.env, ...own, ...person } });
    return true;
  } catch {
    return false;
  }
}
