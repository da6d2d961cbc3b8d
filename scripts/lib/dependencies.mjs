import { existsSync, readFileSync } from 'node:fs';
import { Problem, note } from './console.mjs';
import { checkSystemNode, node } from './nodes.mjs';
import { npmCi } from './npm.mjs';
import { inRoot } from './paths.mjs';

/** Makes `node_modules` match `package-lock.json`. */
export async function ensureDependencies() {
  checkSystemNode();
  if (isInstalled()) return;
  note('Installing dependencies (npm ci)');
  if ((await npmCi()) !== 0 || !isInstalled()) {
    throw new Problem('npm ci failed; its messages are above. Nothing else was done.');
  }
}

function isInstalled() {
  const installed = packagesOf(inRoot('node_modules', '.package-lock.json'));
  const wanted = packagesOf(inRoot('package-lock.json'));
  if (!installed || !wanted || !existsSync(node)) return false;
  return Object.entries(wanted).every(([name, { version, optional, peer, link }]) => {
    if (name === '' || link) return true;
    const present = installed[name];
    return present ? present.version === version : Boolean(optional || peer);
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
