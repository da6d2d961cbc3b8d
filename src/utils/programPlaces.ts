import { posix, win32 } from 'node:path';

/** Extensions of files that Windows can start without an interpreter, in its default order. */
const startable = ['.com', '.exe', '.bat', '.cmd'];

/**
 * Returns possible paths of a program in the order of PATH. Skips relative folders. On Windows, also skips the current folder,
 * which the system would search first: a cloned repository could contain a program with this name. `extensions` are the Windows
 * extensions, by default the extensions in PATHEXT.
 */
export function programPlaces(
  name: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  extensions?: readonly string[],
): string[] {
  if (platform !== 'win32') {
    const folders = (env['PATH'] ?? '').split(posix.delimiter).filter((folder) => posix.isAbsolute(folder));
    return folders.map((folder) => posix.join(folder, name));
  }
  const folders = (variable(env, 'PATH') ?? '').split(win32.delimiter).map((folder) => folder.trim().replace(/^"(.*)"$/, '$1'));
  const files = withExtensions(name, extensions ?? startableExtensions(env));
  return folders.filter((folder) => isFullPath(folder)).flatMap((folder) => files.map((file) => win32.join(folder, file)));
}

/**
 * Returns the names that Windows tries for `name`. The first is the name itself if it has one of the
 * extensions. The name with each extension follows.
 */
export function withExtensions(name: string, extensions: readonly string[]): string[] {
  const own = win32.extname(name).toLowerCase();
  return [...(extensions.includes(own) ? [name] : []), ...extensions.map((extension) => name + extension)];
}

/** Returns the extensions of PATHEXT that Windows can start without an interpreter. */
export function startableExtensions(env: NodeJS.ProcessEnv): readonly string[] {
  const set = (variable(env, 'PATHEXT') ?? '').toLowerCase().split(';');
  const known = set.map((one) => one.trim()).filter((one) => startable.includes(one));
  return known.length > 0 ? known : startable;
}

/** Returns a variable of a Windows environment. Ignores the case of the name. */
export function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] ?? env[Object.keys(env).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name];
}

/**
 * Returns `base` with the variables of `extra`. On Windows, `Path` replaces `PATH`,
 * because the system would only read one of them.
 */
export function mergedEnvironment(
  base: NodeJS.ProcessEnv,
  extra: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  if (platform !== 'win32') return { ...base, ...extra };
  const replaced = new Set(Object.keys(extra).map((name) => name.toLowerCase()));
  const kept = Object.entries(base).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...extra };
}

/** Returns true if a Windows path does not depend on the current folder or drive. */
function isFullPath(folder: string): boolean {
  return /^(?:[a-z]:[\\/]|\\\\[^\\])/i.test(folder);
}
