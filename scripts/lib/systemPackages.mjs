import { existsSync, readFileSync } from 'node:fs';
import { findBrowser, onPath } from './browser.mjs';
import { Problem, note } from './console.mjs';
import { capture, withProgress } from './processes.mjs';

/** System requirements: Debian packages, and the names that are shown if the user has to install them. */
const needs = {
  browser: { packages: ['chromium'], isMissing: () => !findBrowser(), name: 'Chromium or Chrome' },
  fonts: {
    packages: ['fonts-dejavu-core', 'fonts-liberation'],
    isMissing: () => process.platform === 'linux' && !existsSync('/usr/share/fonts'),
    name: 'any sans-serif and monospace font',
  },
  worldFonts: {
    packages: ['fonts-noto-cjk', 'fonts-noto-color-emoji', 'fonts-thai-tlwg'],
    isMissing: () => process.platform === 'linux' && !existsSync('/usr/share/fonts/opentype/noto'),
    name: 'fonts for Chinese, Japanese, Korean, Thai and emoji',
  },
  compiler: {
    packages: ['build-essential'],
    isMissing: () => !onPath('make') || !(onPath('g++') || onPath('clang++')),
    name: 'make and a C++ compiler',
  },
  python: { packages: ['python3'], isMissing: () => !onPath('python3') && !onPath('python'), name: 'Python 3' },
  kerberos: {
    packages: ['libkrb5-dev'],
    isMissing: () => process.platform === 'linux' && !existsSync('/usr/include/gssapi/gssapi.h'),
    name: 'the headers of Kerberos (gssapi/gssapi.h)',
  },
  strace: {
    packages: ['strace'],
    isMissing: () => process.platform === 'linux' && !onPath('strace'),
    name: 'strace',
  },
  sandbox: {
    packages: ['bubblewrap'],
    isMissing: () => process.platform === 'linux' && !onPath('bwrap'),
    name: 'bubblewrap (bwrap)',
  },
};

/** Installs fonts for other scripts if possible. Screenshots without them show boxes, which is no reason to stop. */
export async function tryWorldFonts() {
  await ensureSystemPackages(['worldFonts']).catch((error) => note(error.message));
}

/** Requirements for compiling the native modules of the npm VS Code, such as the terminal. */
export const toCompile = ['compiler', 'python', 'kerberos'];

export function missing(wanted) {
  return wanted.filter((need) => needs[need].isMissing());
}

/**
 * Ensures that the given requirements are met. Installs Debian packages
 * if that needs no password; otherwise says what to install and stops.
 */
export async function ensureSystemPackages(wanted) {
  const lacking = missing(wanted);
  if (lacking.length === 0) return;
  await installPackages(
    lacking.flatMap((need) => needs[need].packages),
    lacking.map((need) => needs[need].name),
  );
  const still = missing(lacking);
  if (still.length > 0) throw new Problem(`Still missing after installing: ${still.map((need) => needs[need].name).join(', ')}.`);
}

export async function installPackages(packages, names) {
  const sudo = await elevation();
  if (!isDebian() || sudo === undefined) {
    const how = isDebian() ? `\n\n  sudo apt-get install -y ${packages.join(' ')}\n` : '';
    throw new Problem(`Missing on this system: ${names.join(', ')}. Install and run this again; nothing else was done.${how}`);
  }
  note(`Installing system packages: ${packages.join(' ')}`);
  await aptGet(sudo, 'update');
  const { code, output } = await withProgress('installing system packages', aptGet(sudo, 'install', '-y', ...packages));
  if (code !== 0) throw new Problem(`${output.slice(-4000)}\napt-get could not install ${packages.join(' ')}.`);
}

function aptGet(sudo, ...args) {
  const [command, ...rest] = [...sudo, 'apt-get', '-qq', '-o', 'Dpkg::Use-Pty=0', ...args];
  return capture(command, rest, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
}

/** Returns the command prefix for `apt-get` that needs no password (empty as root), or `undefined` if there is none. */
async function elevation() {
  if (process.getuid?.() === 0) return [];
  if (onPath('sudo') && (await capture('sudo', ['-n', 'true'])).code === 0) return ['sudo', '-n'];
  return undefined;
}

function isDebian() {
  try {
    return Boolean(onPath('apt-get')) && /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}
