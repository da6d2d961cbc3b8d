import { access, constants, realpath } from 'node:fs/promises';
import { win32 } from 'node:path';
import { isInside } from '../../../utils/files/isInside';
import { programPlaces, variable } from '../../../utils/programPlaces';

/**
 * Finds a program on PATH. Ignores relative PATH entries. Resolves to null if
 * the program is missing, or if it is in a folder that the agent can write to.
 */
export async function locateProgram(name: string, writable: readonly string[]): Promise<string | null> {
  for (const found of listProgramPaths(name, process.env)) {
    if (!(await isProgram(found))) continue;
    const real = await realpath(found).catch(() => null);
    const places = await Promise.all(writable.map((root) => realpath(root).catch(() => root)));
    return real !== null && places.every((root) => !isInside(real, root) && !isInside(found, root)) ? found : null;
  }
  return null;
}

/**
 * Returns the possible paths of a program. On Windows, only executables count, because batch files need cmd. The Git installer
 * may not add Git to PATH, so its default folders are included.
 */
export function listProgramPaths(name: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string[] {
  const places = programPlaces(name, env, platform, ['.exe']);
  if (platform !== 'win32' || name !== 'git') return places;
  const local = variable(env, 'LocalAppData');
  const parents = [
    ...['ProgramW6432', 'ProgramFiles', 'ProgramFiles(x86)'].map((parent) => variable(env, parent)),
    local === undefined ? undefined : win32.join(local, 'Programs'),
  ];
  const inSetup = parents.flatMap((parent) => (parent === undefined ? [] : [win32.join(parent, 'Git', 'cmd', 'git.exe')]));
  return [...places, ...new Set(inSetup)];
}

export function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Git settings that could make Git run programs, with harmless values.
 * They also protect against a folder that only looks like a repository.
 */
const overrides: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', process.platform === 'win32' ? 'NUL' : '/dev/null'],
  ['core.pager', 'cat'],
  ['safe.bareRepository', 'explicit'],
  ['log.showSignature', 'false'],
  // A pretty format in the configuration may request signature verification.
  ['format.pretty', 'medium'],
  // These settings make Git run inside submodules with the settings of the submodule.
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
  ['protocol.allow', 'never'],
];

/**
 * Returns the arguments that override these settings. They go before the Git subcommand. Git before 2.31 has no other way to
 * override settings.
 */
export function gitOverrides(): string[] {
  return overrides.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

const gitVariables =
  /^GIT_(EXTERNAL_DIFF|DIR|WORK_TREE|INDEX_FILE|CONFIG|CONFIG_(COUNT|KEY_\d+|VALUE_\d+|PARAMETERS)|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|TRACE\w*)$/;

/** Returns an environment in which read-only programs have no side effects. */
export function readOnlyEnvironment(): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...process.env };
  for (const name of Object.keys(environment)) if (gitVariables.test(name)) delete environment[name];
  return {
    ...environment,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    // Git before 2.45 fetches the missing objects of a partial clone. This
    // variable disables every transport and takes precedence over all settings.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
  };
}
