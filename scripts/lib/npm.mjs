import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Problem, note } from './console.mjs';
import { capture, run } from './processes.mjs';

/** Runs `npm ci` in the repository with its output on the console. Returns the exit code. */
export function npmCi() {
  const [command, args] = npm(process.execPath);
  return run(command, [...args, 'ci', '--no-fund', '--no-audit', '--loglevel=error'], {
    env: outerEnvironment(),
    shell: needsShell,
  });
}

/** Runs `npm install` for the `package.json` in a folder. Returns the exit code and the output. */
export function npmInstall(folder, { nodeFile = process.execPath, env = {} } = {}) {
  const [command, args] = npm(nodeFile);
  return capture(command, [...args, 'install', '--prefix', folder, '--no-fund', '--no-audit'], {
    cwd: folder,
    env: { ...outerEnvironment(), ...env },
    shell: needsShell,
  });
}

/**
 * Fetches a published package and unpacks it into a folder, where its files are then in `package/`. Replaces the content of the folder, or
 * leaves it unchanged on failure. If `integrity` (SHA-512, from a lock file) is given, a package that does not match it is rejected.
 */
export async function fetchPackage(name, version, folder, integrity) {
  note(`Fetching ${name} ${version}`);
  const fetching = `${folder}.${process.pid}`;
  mkdirSync(fetching, { recursive: true });
  try {
    const { code, output } = await npmPack(`${name}@${version}`, fetching);
    const [packed] = readdirSync(fetching);
    if (code !== 0 || packed === undefined) throw new Problem(`${output}\n${name} could not be fetched.`);
    const archive = path.join(fetching, packed);
    const digest = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (integrity !== undefined && integrity !== `sha512-${digest}`)
      throw new Problem(`${name} is not what package-lock.json says it is.`);
    const extracted = await capture('tar', ['-xzf', packed], { cwd: fetching });
    if (extracted.code !== 0) throw new Problem(extracted.output);
    rmSync(archive);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fetching, folder);
  } finally {
    rmSync(fetching, { recursive: true, force: true });
  }
}

function npmPack(name, folder) {
  const [command, args] = npm(process.execPath);
  return capture(command, [...args, 'pack', name, '--pack-destination', folder, '--loglevel=error'], {
    env: outerEnvironment(),
    shell: needsShell,
  });
}

/** Lists all dependencies as CycloneDX. Returns the exit code and the list. */
export function npmSbom() {
  const [command, args] = npm(process.execPath);
  return capture(command, [...args, 'sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'], {
    env: outerEnvironment(),
    shell: needsShell,
  });
}

const needsShell = process.platform === 'win32' && !process.env.npm_execpath;

function npm(nodeFile) {
  const script = process.env.npm_execpath;
  return script && existsSync(script) && script.endsWith('.js') ? [nodeFile, [script]] : ['npm', []];
}

/** Returns the environment without the variables that an outer `npm run` sets for this package. The user's configuration is kept. */
export function outerEnvironment() {
  const ofThisRun = /^npm_(package|lifecycle|command$|config_(local_prefix|global_prefix|user_agent|npm_version|node_gyp)$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofThisRun.test(name)));
}
