import { existsSync, readFileSync } from 'node:fs';
import { findBrowser, onPath } from './browser.mjs';
import { Problem, note } from './console.mjs';
import { capture, withProgress } from './processes.mjs';

/** What a person installs by hand where there is no apt. */
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

/** Pictures without them show boxes, and are no reason to stop. */
export async function tryWorldFonts() {
  await ensureSystemPackages(['worldFonts']).catch((error) => note(error.message));
}

/** What compiling the terminal and friends of the npm VS Code takes. */
export const toCompile = ['compiler', 'python', 'kerberos'];

export function missing(wanted) {
  return wanted.filter((need) => needs[need].isMissing());
}

/** Makes sure of the named needs: installs Debian packages where that takes no password, else says what to install and stops. */
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

/** The words before `apt-get` that need no password: none as root; `undefined` if there are no such words. */
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
