import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Problem, note } from './console.mjs';
import { npmInstall } from './npm.mjs';
import { cacheRoot, inRoot } from './paths.mjs';
import { capture, withProgress } from './processes.mjs';

const executable = process.platform === 'win32' ? 'node.exe' : 'node';

/** Oldest Node version that `engines.vscode` allows. */
export const floorVersion = '22.19.0';

/** Node that runs everything except the first steps of `npm start` and `npm test`. `npm ci` installs it. */
export const node = inRoot('node_modules', 'node', 'bin', executable);

export function checkSystemNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Problem(`Node 20.19 or newer is needed; this is ${process.versions.node}.`);
  }
}

/** Returns the environment for child processes, with `node` and the project's tools first on `PATH`. */
export function environment(extra = {}) {
  return { ...process.env, ...pathWith(path.dirname(node), inRoot('node_modules', '.bin')), ...extra };
}

export function pathWith(...folders) {
  const key = Object.keys(process.env).find((name) => name.toLowerCase() === 'path') ?? 'PATH';
  return { [key]: [...folders, process.env[key]].join(path.delimiter) };
}

/** Returns Node `floorVersion`, which is fetched into the cache once. */
export async function ensureFloorNode() {
  const folder = path.join(cacheRoot, `node-${floorVersion}`);
  const file = path.join(folder, 'node_modules', 'node', 'bin', executable);
  if (await answers(file)) return file;
  note(`Fetching Node ${floorVersion} into the cache`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, allowScripts: { node: true }, dependencies: { node: floorVersion } }),
  );
  const { code, output } = await withProgress(`fetching Node ${floorVersion}`, npmInstall(folder));
  if (code !== 0 || !(await answers(file))) throw new Problem(`Node ${floorVersion} could not be fetched:\n${output}`);
  return file;
}

async function answers(file) {
  return existsSync(file) && (await capture(file, ['--version'])).output.trim() === `v${floorVersion}`;
}
