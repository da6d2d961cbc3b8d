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
 * `npm start`: opens the extension in a real VS Code on a sample workspace, even from a fresh clone. Uses the available Ollama server or a
 * demo model. Ctrl-C ends everything.
 */
await main(async () => {
  checkSystemNode();
  const needs = (await findDesktopCode()) ? [] : codeServerNeeds();
  // The server does not need a browser, only the person who views the page does. Installed only if other packages must be installed anyway.
  if (needs.length > 0) await ensureSystemPackages([...needs, 'browser', 'fonts']);
  await ensureDependencies();
  const child = spawn(node, [inRoot('scripts', 'lib', 'startRun.mjs')], {
    cwd: root,
    env: environment(),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  // If npm is killed, only the shell between npm and this script ends, and it does not forward the signal.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
  const [code] = await once(child, 'exit');
  return code ?? 1;
});
