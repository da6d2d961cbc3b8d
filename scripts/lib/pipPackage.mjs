import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { note } from './console.mjs';
import { capture } from './processes.mjs';

/**
 * Fetches a package with pip and unpacks it into a folder. Returns true if the package is there afterwards. Otherwise, for example without
 * pip or a network, prints that `instead` is used.
 */
export async function unpackPipPackage(name, version, folder, instead) {
  mkdirSync(folder, { recursive: true });
  const fetched = await capture('pip', ['download', `${name}==${version}`, '--no-deps', '--no-binary=:none:', '--dest', folder]);
  const wheel = readdirSync(folder).find((file) => file.endsWith('.whl'));
  if (fetched.code !== 0 || wheel === undefined) return without(name, instead, fetched.output);
  const unpacked = await capture('python3', ['-m', 'zipfile', '-e', path.join(folder, wheel), folder]);
  return unpacked.code === 0 || without(name, instead, unpacked.output);
}

/** Prints that a package is not available, and returns false. */
export function without(name, instead, output) {
  note(`${name} could not be fetched, so its ${instead} at hand have to do: ${output.trim().split('\n').at(-1)}`);
  return false;
}
