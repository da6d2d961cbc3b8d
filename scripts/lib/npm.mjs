import { existsSync } from 'node:fs';
import { capture, run } from './processes.mjs';

/** `npm ci` in the repository, its output on the console; answers the exit code. */
export function npmCi() {
  const [command, args] = npm(process.execPath);
  return run(command, [...args, 'ci', '--no-fund', '--no-audit', '--loglevel=error'], {
    env: outerEnvironment(),
    shell: needsShell,
  });
}

/** `npm install` of what the folder's `package.json` asks for; answers the exit code and the output. */
export function npmInstall(folder, { nodeFile = process.execPath, env = {} } = {}) {
  const [command, args] = npm(nodeFile);
  return capture(command, [...args, 'install', '--prefix', folder, '--no-fund', '--no-audit'], {
    cwd: folder,
    env: { ...outerEnvironment(), ...env },
    shell: needsShell,
  });
}

/** Fetches a package as it was published into a folder; answers the exit code and the output. */
export function npmPack(name, folder) {
  const [command, args] = npm(process.execPath);
  return capture(command, [...args, 'pack', name, '--pack-destination', folder, '--loglevel=error'], {
    env: outerEnvironment(),
    shell: needsShell,
  });
}

const needsShell = process.platform === 'win32' && !process.env.npm_execpath;

function npm(nodeFile) {
  const script = process.env.npm_execpath;
  return script && existsSync(script) && script.endsWith('.js') ? [nodeFile, [script]] : ['npm', []];
}

/** The environment without what an outer `npm run` has put there about this package; the user's configuration stays. */
export function outerEnvironment() {
  const ofThisRun = /^npm_(package|lifecycle|command$|config_(local_prefix|global_prefix|user_agent|npm_version|node_gyp)$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofThisRun.test(name)));
}
