import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot, root } from './paths.mjs';

/**
 * Skips work if its inputs are unchanged since it last succeeded and its outputs have not been touched.
 * `inputs` and `outputs` are files and folders in the repository. `variant` distinguishes ways of doing the same work.
 */
export async function unlessFresh({ name, variant = '', inputs, outputs }, work) {
  const before = hashOf(inputs, variant);
  if (isAsStamped(name, before, outputs)) return false;
  await work();
  const stampFile = stampOf(name);
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ inputs: before, outputs: stateOf(outputs) }));
  return true;
}

/** Returns true if `unlessFresh` would skip its work. */
export function isFresh({ name, variant = '', inputs, outputs }) {
  return isAsStamped(name, hashOf(inputs, variant), outputs);
}

function isAsStamped(name, hash, outputs) {
  if (!existsSync(stampOf(name))) return false;
  const stamp = JSON.parse(readFileSync(stampOf(name), 'utf8'));
  return stamp.inputs === hash && stamp.outputs === stateOf(outputs);
}

function stampOf(name) {
  return inRoot('node_modules', '.cache', 'ollama-copilot', `${name}.json`);
}

/** Returns all files in the given files and folders, relative to the repository and sorted. */
export function filesIn(names) {
  return names
    .flatMap((name) => {
      const file = inRoot(name);
      if (!existsSync(file)) return [];
      if (!statSync(file).isDirectory()) return [name];
      return readdirSync(file, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)));
    })
    .sort();
}

function hashOf(inputs, variant) {
  const hash = createHash('sha256').update(variant);
  for (const file of filesIn(inputs)) hash.update(`\0${file}\0`).update(readFileSync(inRoot(file)));
  return hash.digest('hex');
}

function stateOf(outputs) {
  const hash = createHash('sha256');
  for (const file of filesIn(outputs)) {
    const { size, mtimeMs } = statSync(inRoot(file));
    hash.update(`${file}\0${size}\0${mtimeMs}\0`);
  }
  return outputs.every((name) => existsSync(inRoot(name))) ? hash.digest('hex') : 'missing';
}
