import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Time limit for reading settings, in milliseconds. */
const readMs = 10_000;

/** A setting in the list of git-config(1). `value` is null for a key without a value, which means true. */
export interface GitSetting {
  key: string;
  value: string | null;
}

/**
 * Reads the settings in a file, with or without included files. `git` is the path of Git. Resolves with null if reading fails.
 */
export async function listSettings(git: string, file: string, withIncludes: boolean): Promise<GitSetting[] | null> {
  const includes = withIncludes ? '--includes' : '--no-includes';
  try {
    const { stdout } = await run(git, ['config', '--file', file, includes, '--list', '-z'], { timeout: readMs, cwd: '/' });
    return stdout
      .split('\0')
      .filter((one) => one !== '')
      .map(parted);
  } catch {
    return null;
  }
}

function parted(setting: string): GitSetting {
  const end = setting.indexOf('\n');
  return end < 0 ? { key: setting, value: null } : { key: setting.slice(0, end), value: setting.slice(end + 1) };
}
