import { findBrowser } from './browser.mjs';
import { codeServerNeeds, ensureCodeServer } from './codeServer.mjs';
import { environment, node } from './nodes.mjs';
import { inRoot } from './paths.mjs';
import { capture, run } from './processes.mjs';
import { withSecondTry } from './secondTry.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';

/** Fetches what tests in an editor need; answers the environment that tells them where it is. */
export async function editorEnvironment(extra = {}) {
  await ensureSystemPackages(['browser', 'fonts', 'strace', ...codeServerNeeds()]);
  const folder = await ensureCodeServer();
  return environment({ OLLAMA_COPILOT_CODE_SERVER: folder, OLLAMA_COPILOT_BROWSER: findBrowser(), ...extra });
}

/** Runs mocha on compiled tests; answers its exit code. Failed files get a second try (`secondTry.mjs`). */
export async function mocha(args, { nodeFile = node, env = environment() } = {}) {
  const once = async (chosen, own) => ({ code: await run(nodeFile, mochaWith(chosen), { env: own }) });
  return (await withSecondTry(args, env, once)).code;
}

/** As `mocha`; answers what it said, too, in place of the console. */
export function quietMocha(args, { nodeFile = node, env = environment() } = {}) {
  return withSecondTry(args, env, (chosen, own) => capture(nodeFile, mochaWith(chosen), { env: own }));
}

function mochaWith(args) {
  const own = ['--ui', inRoot('scripts', 'lib', 'fileHooks.cjs'), '--reporter', inRoot('scripts', 'lib', 'countingReporter.cjs')];
  return [inRoot('node_modules', 'mocha', 'bin', 'mocha.js'), ...own, ...args];
}
