import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { codeServerNeeds } from './lib/codeServer.mjs';
import { main } from './lib/console.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { findDesktopCode } from './lib/desktop.mjs';
import { checkSystemNode, environment, node } from './lib/nodes.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { ensureSystemPackages } from './lib/systemPackages.mjs';

/**
 * `npm start`, from a fresh clone too: the extension in a real VS Code on a sample workspace, with the Ollama server there is or a
 * demonstration model. Ctrl-C ends all of it.
 */
await main(async () => {
  checkSystemNode();
  const needs = (await findDesktopCode()) ? [] : codeServerNeeds();
  // A browser is needed by whoever looks, not by the server: it comes along where packages must be installed anyway.
  if (needs.length > 0) await ensureSystemPackages([...needs, 'browser', 'fonts']);
  await ensureDependencies();
  const child = spawn(node, [inRoot('scripts', 'lib', 'startRun.mjs')], {
    cwd: root,
    env: environment(),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  // Someone who ends npm ends the shell between npm and this script, which passes nothing on.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
  const [code] = await once(child, 'exit');
  return code ?? 1;
});
