import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Problem } from '../lib/console.mjs';
import { fetchPackage } from '../lib/npm.mjs';
import { cacheRoot, inRoot } from '../lib/paths.mjs';

/** Platforms with a native part of LanceDB, and the suffix of its package's name. */
export const lanceTargets = {
  'linux-x64': 'linux-x64-gnu',
  'linux-arm64': 'linux-arm64-gnu',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-x64-msvc',
  'win32-arm64': 'win32-arm64-msvc',
  'alpine-x64': 'linux-x64-musl',
};

/**
 * Returns the native part for a platform: the installed file, or one that is fetched into the cache once and checked against the lock file.
 */
export async function nativeLance(target) {
  const end = lanceTargets[target];
  const name = `@lancedb/lancedb-${end}`;
  const file = `lancedb.${end}.node`;
  const installed = inRoot('node_modules', name, file);
  if (existsSync(installed)) return installed;
  const { version, integrity } =
    JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')).packages[`node_modules/${name}`] ?? {};
  if (integrity === undefined) throw new Problem(`${name} is not in package-lock.json.`);
  const folder = path.join(cacheRoot, `lancedb-${version}-${target}`);
  const cached = path.join(folder, 'package', file);
  if (existsSync(cached)) return cached;
  await fetchPackage(name, version, folder, integrity);
  return cached;
}

/** Copies the native part into a folder under the name that the bundle expects. Returns the new file. */
export async function placeNativeLance(target, folder) {
  const native = await nativeLance(target);
  const placed = path.join(folder, path.basename(native));
  copyFileSync(native, placed);
  return placed;
}
