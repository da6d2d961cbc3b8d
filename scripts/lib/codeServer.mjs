import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Problem, note } from './console.mjs';
import { node, pathWith } from './nodes.mjs';
import { npmInstall } from './npm.mjs';
import { cacheRoot } from './paths.mjs';
import { capture, withProgress } from './processes.mjs';
import { ensureSystemPackages, installPackages, missing, toCompile } from './systemPackages.mjs';

/** Version of the npm package that contains a complete VS Code (1.139) and its server. */
const version = '4.139.1';
const folder = path.join(cacheRoot, `code-server-${version}`);
/** Marker that is written last. A folder without it is incomplete. */
const finishMarker = path.join(folder, '.complete');
const staging = `${folder}.${process.pid}`;
const manifest = { private: true, allowScripts: { 'code-server': true, node: true } };

export function hasCodeServer() {
  return existsSync(finishMarker);
}

/** Returns the system packages that `ensureCodeServer` needs. */
export function codeServerNeeds() {
  return hasCodeServer() ? [] : missing(toCompile);
}

/** Returns the folder of the npm VS Code, which is fetched and compiled into the cache once. */
export async function ensureCodeServer() {
  if (hasCodeServer()) return folder;
  if (!(await starts())) {
    await ensureSystemPackages(toCompile);
    await fetchAndCompile();
    if (!(await starts())) throw new Problem(`The VS Code in ${folder} does not start; remove that folder and try again.`);
  }
  writeFileSync(finishMarker, `${version}\n`);
  return folder;
}

async function fetchAndCompile() {
  note(`Fetching VS Code (the npm package code-server ${version}) into ${folder}: 600 MB, two minutes, once`);
  const headers = nodeHeaders();
  let attempt = await install(headers);
  if (attempt.code !== 0 && !headers) {
    note('Node headers could not be downloaded; using those of the system');
    await installPackages(['libnode-dev'], ["Node's headers (node/node.h)"]);
    attempt = await install('/usr');
  }
  if (attempt.code !== 0) {
    rmSync(staging, { recursive: true, force: true });
    throw new Problem(`VS Code could not be fetched or compiled:\n${attempt.output.slice(-6000)}`);
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(staging, folder);
}

async function install(nodedir) {
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const dependencies = { 'code-server': version, node: '24' };
  writeFileSync(path.join(staging, 'package.json'), `${JSON.stringify({ ...manifest, dependencies })}\n`);
  // Its compiled parts must match Node 24, and its own installer requires Node 24 too.
  const env = { ...pathWith(path.dirname(node)), ...(nodedir ? { npm_config_nodedir: nodedir } : {}) };
  return withProgress('fetching and compiling VS Code', npmInstall(staging, { nodeFile: node, env }));
}

/** Returns a folder with `include/node/node.h`. If this Node was installed with its headers, nothing needs to be downloaded. */
function nodeHeaders() {
  const beside = path.resolve(path.dirname(process.execPath), '..');
  return [process.env.npm_config_nodedir, beside, '/usr', '/usr/local']
    .filter(Boolean)
    .find((place) => existsSync(path.join(place, 'include', 'node', 'node.h')));
}

async function starts() {
  const entry = path.join(folder, 'node_modules', 'code-server', 'out', 'node', 'entry.js');
  const pty = path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode', 'node_modules', 'node-pty');
  if (!existsSync(entry)) return false;
  const terminal = await capture(node, ['-e', `require(${JSON.stringify(pty)})`]);
  if (terminal.code !== 0) return false;
  const { code, output } = await capture(node, [entry, '--version', '--config', path.join(folder, 'config.yaml')]);
  return code === 0 && output.includes(version);
}
