import { findBrowser } from './browser.mjs';
import { codeServerNeeds, ensureCodeServer } from './codeServer.mjs';
import { environment, node } from './nodes.mjs';
import { inRoot } from './paths.mjs';
import { run } from './processes.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';

/** Fetches what tests in an editor need; answers the environment that tells them where it is. */
export async function editorEnvironment(extra = {}) {
  await ensureSystemPackages(['browser', 'fonts', ...codeServerNeeds()]);
  const folder = await ensureCodeServer();
  return environment({ OLLAMA_COPILOT_CODE_SERVER: folder, OLLAMA_COPILOT_BROWSER: findBrowser(), ...extra });
}

/** Runs mocha on compiled tests; answers its exit code. */
export function mocha(args, { nodeFile = node, env = environment() } = {}) {
  const reporter = inRoot('scripts', 'lib', 'countingReporter.cjs');
  return run(nodeFile, [inRoot('node_modules', 'mocha', 'bin', 'mocha.js'), '--reporter', reporter, ...args], { env });
}
