import { access, constants, realpath } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isInside } from '../../../utils/files/isInside';

/**
 * Finds a program by PATH alone. Resolves with null if there is none, or if it lies in a folder that the agent may write
 * to. Ignores
 * entries of PATH that are relative to the current folder.
 */
export async function locateProgram(name: string, writable: readonly string[]): Promise<string | null> {
  const names = process.platform === 'win32' ? [`${name}.exe`] : [name];
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const file of names) {
      const found = join(folder, file);
      if (!(await isProgram(found))) continue;
      const real = await realpath(found).catch(() => null);
      const places = await Promise.all(writable.map((root) => realpath(root).catch(() => root)));
      return real !== null && places.every((root) => !isInside(real, root) && !isInside(found, root)) ? found : null;
    }
  }
  return null;
}

/** Tells whether there is a file that may be executed. */
export function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Settings of a repository, or of one that only looks like it, by which git would run programs. */
const overruled: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', process.platform === 'win32' ? 'NUL' : '/dev/null'],
  ['core.pager', 'cat'],
  ['safe.bareRepository', 'explicit'],
  ['log.showSignature', 'false'],
  // One of its own may ask for signatures to be verified.
  ['format.pretty', 'medium'],
  // They run git in a submodule, by the settings of that.
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
  ['protocol.allow', 'never'],
];

/** Returns the arguments before git's command that overrule its settings; git before 2.31 knows no other way. */
export function gitOverrules(): string[] {
  return overruled.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

const gitVariables =
  /^GIT_(EXTERNAL_DIFF|DIR|WORK_TREE|INDEX_FILE|CONFIG|CONFIG_(COUNT|KEY_\d+|VALUE_\d+|PARAMETERS)|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|TRACE\w*)$/;

/** Returns the environment in which programs that only read do nothing else. */
export function readingEnvironment(): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...process.env };
  for (const name of Object.keys(environment)) if (gitVariables.test(name)) delete environment[name];
  return {
    ...environment,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    // Git before 2.45 fetches what a partial clone lacks; this allows no way to do so and takes precedence over all settings.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
  };
}
