import limits from '../../tests/limits.json' with { type: 'json' };
import { findBrowser } from './browser.mjs';
import { codeServerNeeds, ensureCodeServer } from './codeServer.mjs';
import { environment, node } from './nodes.mjs';
import { inRoot } from './paths.mjs';
import { capture, run } from './processes.mjs';
import { withRetries } from './retries.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';

const caseLimitMs = limits.caseMinutes * 60_000;

/** Fetches everything that tests in an editor need. Returns the environment variables with the locations. */
export async function editorEnvironment(extra = {}) {
  await ensureSystemPackages(['browser', 'fonts', 'strace', ...codeServerNeeds()]);
  const folder = await ensureCodeServer();
  return environment({ OLLAMA_COPILOT_CODE_SERVER: folder, OLLAMA_COPILOT_BROWSER: findBrowser(), ...extra });
}

/** Runs mocha with options on compiled files. Returns its exit code. */
export function mocha(options, files, { env = environment() } = {}) {
  return run(node, mochaWith(options, files), { env });
}

/** Same as `mocha`, but returns `{code, output}` and prints nothing. */
export function quietMocha(options, files, { nodeFile = node, env = environment() } = {}) {
  return capture(nodeFile, mochaWith(options, files), { env });
}

/**
 * Same as `mocha`, for suites that open windows. A file with a failed case is run again (`retries.mjs`), without the options in `parallel`,
 * which run files at the same time.
 */
export function mochaInWindows(options, files, { env, parallel = [] }) {
  return withRetries(env, (again, own) => {
    const [more, chosen] = again.length > 0 ? [[], again] : [parallel, files];
    return mocha([...options, ...more], chosen, { env: own });
  });
}

function mochaWith(options, files) {
  const own = ['--ui', inRoot('scripts', 'lib', 'fileHooks.cjs'), '--reporter', inRoot('scripts', 'lib', 'countingReporter.cjs')];
  return [inRoot('node_modules', 'mocha', 'bin', 'mocha.js'), ...own, '--timeout', String(caseLimitMs), ...options, ...files];
}
