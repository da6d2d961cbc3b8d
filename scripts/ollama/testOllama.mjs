import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compileTestsIfChanged, packageVsix, packageVsixFor } from '../lib/build.mjs';
import { Problem, heading, main, note } from '../lib/console.mjs';
import { recordedCounts } from '../lib/counts.mjs';
import { lanceTargets } from '../lancedb/native.mjs';
import { ensureDependencies } from '../lib/dependencies.mjs';
import { editorEnvironment, mocha, mochaInWindows } from '../lib/editorTests.mjs';
import { environment } from '../lib/nodes.mjs';
import { ollamaUrl } from '../lib/ollama.mjs';
import { modelNames } from './layout.mjs';
import { startOllama } from './serveOllama.mjs';

const suites = 'out/tests/e2e/real*.e2e.js';

/**
 * `npm run test:ollama`: runs the shared contract and the end-to-end cases on a real Ollama. Uses the server in `OLLAMA_HOST`, or builds
 * one.
 * `-- contract` or `-- e2e` runs one of the two, `--repeat N` runs the end-to-end cases N times, `--grep WORDS` selects cases.
 */
await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { repeat: { type: 'string', default: '1' }, grep: { type: 'string' } },
  });
  const wants = (part) => positionals.length === 0 || positionals.includes(part);
  const selection = values.grep ? ['--grep', values.grep] : [];
  await ensureDependencies();
  await compileTestsIfChanged();
  const server = await namedServer();
  const runs = [];
  try {
    if (wants('contract')) runs.push(await contract(server.url, selection));
    const rounds = wants('e2e') ? Number(values.repeat) : 0;
    for (let round = 1; round <= rounds; round++)
      runs.push(await endToEnd(server.url, selection, rounds > 1 ? `, ${round} of ${rounds}` : ''));
  } finally {
    await server.stop();
  }
  const sum = runs.reduce((total, run) => ({ passed: total.passed + run.passed, failed: total.failed + run.failed }), {
    passed: 0,
    failed: 0,
  });
  console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 ? 0 : 1;
});

async function namedServer() {
  if (!process.env.OLLAMA_HOST) return endedWithUs(await startOllama());
  const url = ollamaUrl();
  const response = await fetch(`${url}/api/tags`).catch(() => undefined);
  if (!response?.ok) throw new Problem(`No Ollama answers at ${url}, which OLLAMA_HOST names.`);
  const { models } = await response.json();
  const missing = modelNames.filter((name) => !models.some((model) => model.name === `${name}:latest`));
  if (missing.length > 0) {
    throw new Problem(
      `The server at ${url} lacks ${missing.join(', ')}; unset OLLAMA_HOST to have one made (docs/testing-with-ollama.md).`,
    );
  }
  note(`Using the Ollama at ${url}`);
  return { url, stop: async () => {} };
}

/** Ends the server on a signal, then this process. */
function endedWithUs(server) {
  note(`Ollama answers at ${server.url}`);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.once(signal, () => void server.stop().finally(() => process.exit(code)));
  }
  return server;
}

function contract(url, selection) {
  heading('contract on a real Ollama');
  const files = ['out/tests/contract/**/*.ollama.js'];
  return counted((counts) => mocha(['--no-config', ...selection], files, { env: environment({ OLLAMA_HOST: url, ...counts }) }));
}

async function endToEnd(url, selection, title) {
  heading(`end to end on a real Ollama${title}`);
  const vsix = await packageVsix();
  const platform = `${process.platform}-${process.arch}`;
  const withLance = platform in lanceTargets ? { OLLAMA_COPILOT_PLATFORM_VSIX: await packageVsixFor(platform) } : {};
  const env = await editorEnvironment({ OLLAMA_COPILOT_VSIX: vsix, ...withLance, OLLAMA_HOST: url });
  const options = ['--config', 'tests/e2e/.mocharc.json', ...selection];
  return counted((counts) => mochaInWindows(options, [suites], { env: { ...env, ...counts } }));
}

/** Runs mocha. A crash is a failure even if all counted tests passed. */
async function counted(run) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-counts-'));
  const file = path.join(folder, 'counts');
  const code = await run({ OLLAMA_COPILOT_COUNTS: file });
  const { passed = 0, failed = 0, unsteady = [] } = recordedCounts(file) ?? {};
  for (const title of unsteady) console.log(`unsteady: ${title}`);
  const counts = { passed, failed };
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}
