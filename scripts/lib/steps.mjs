import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildBundles, compileTests, compileTestsIfChanged, packageVsix } from './build.mjs';
import { mocha, quietMocha } from './editorTests.mjs';
import { ensureFloorNode, environment, floorVersion, node } from './nodes.mjs';
import { inRoot } from './paths.mjs';
import { capture, run } from './processes.mjs';
import { withFastFolder } from './temporary.mjs';

/**
 * The steps of `npm test`, in order. Those that are `beside` run in turn at the same time as the one before them, quietly: there are
 * two cores. A step is given the environment of its own and fails by a code other than 0 or by throwing. It may record counts in the
 * file that `OLLAMA_COPILOT_COUNTS` names or answer them; one without counts is one test.
 */
export const steps = [
  { name: 'eslint', group: 'lint', run: () => tool('eslint/bin/eslint.js', '.') },
  {
    ...{ name: 'prettier', group: 'lint', isBeside: true },
    run: () => quietTool('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'),
  },
  { name: 'layers', group: 'lint', isBeside: true, run: () => quietTool('dependency-cruiser/bin/dependency-cruise.mjs', 'src') },
  { name: 'unused code', group: 'lint', isBeside: true, run: () => quietTool('knip/bin/knip.js') },
  {
    ...{ name: 'types of the view', group: 'typecheck', isBeside: true },
    run: () => quietTool('vue-tsc/bin/vue-tsc.js', '--noEmit', '-p', 'tsconfig.webview.json'),
  },
  { name: 'types', group: 'typecheck', run: () => compileTests() },
  { name: 'build', group: 'build', isBeside: true, run: () => buildBundles() },
  { name: 'package', group: 'build', run: () => packageVsix() },
  { name: 'unit and contract', group: 'unit', run: (env) => unit(env, mocha, node, '--config', '.mocharc.json') },
  { name: `unit on Node ${floorVersion}`, group: 'unit', isBeside: true, run: unitOnFloor },
  { name: 'view', group: 'webview', isBeside: true, run: webview },
  {
    name: 'extension host',
    group: 'extension',
    run: (env) => run(node, ['scripts/testExtension.mjs'], { env: environment(env) }),
  },
  { name: 'accessibility', group: 'webview', isBeside: true, run: accessibility },
  { name: 'end to end', group: 'e2e', run: (env) => run(node, ['scripts/testE2e.mjs'], { env: environment(env) }) },
];

function tool(file, ...args) {
  return run(node, [inRoot('node_modules', ...file.split('/')), ...args], { env: environment() });
}

/** As `tool`; what it said is shown when it failed. */
async function quietTool(file, ...args) {
  return spokenOnFailure(await capture(node, [inRoot('node_modules', ...file.split('/')), ...args], { env: environment() }));
}

function spokenOnFailure({ code, output }) {
  return code === 0 ? { code } : { code, output };
}

/** A type error has been reported by its own step; what could be compiled is tested all the same. */
async function unit(env, runMocha, nodeFile, ...args) {
  await (compiled ??= compileTestsIfChanged().catch((error) => console.error(error.message)));
  return withFastFolder((folder) =>
    runMocha(args, { nodeFile, env: environment({ OLLAMA_COPILOT_BRIEF: '1', ...env, ...folder }) }),
  );
}
let compiled;

/**
 * What depends on Node itself (its SQLite, files, processes, workers, streams): without what depends on git or on our own code alone. Where `CI` is
 * not set, only the database and the start, which differ most between versions.
 */
async function unitOnFloor(env) {
  const ours = ['package/**', 'views/**', 'protocol/**', 'config/**', 'agent/*.test.js'];
  const ofTheStore = ['checkpoint/ignoreRules.test.js', 'checkpoint/faults.test.js'];
  const without = [...ours, ...ofTheStore].flatMap((name) => ['--ignore', `out/tests/unit/${name}`]);
  const folders = process.env.CI ? ['**'] : ['database/**', 'start/**'];
  const files = folders.map((folder) => `out/tests/unit/${folder}/*.test.js`);
  const chosen = ['--no-config', '--timeout', '60000', ...without, ...files];
  return spokenOnFailure(await unit(env, quietMocha, await ensureFloorNode(), ...chosen));
}

/** What axe finds on the main pages, in four themes where `CI` is set, else in two; the whole gallery takes many minutes. */
async function accessibility(env) {
  const chat = ['ready', 'no-models', 'answer', 'approval-grave', 'changes', 'context', 'restore-plan-left-out'];
  const lists = [
    'history',
    'search-results',
    'settings-connection',
    'settings-models',
    'settings-chat',
    'settings-privacy',
    'settings-errors',
  ];
  const script = inRoot('scripts', 'gallery', 'run.mjs');
  const themes = process.env.CI ? [] : ['--theme', 'dark,hc-light'];
  return spokenOnFailure(
    await capture(node, [script, '--width', '420', ...themes, ...chat, ...lists], { env: environment(env) }),
  );
}

async function webview() {
  const report = inRoot('node_modules', '.cache', 'ollama-copilot', 'vitest.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile=${path.normalize(report)}`];
  const outcome = await quietTool('vitest/vitest.mjs', 'run', ...reporters);
  if (!existsSync(report)) return outcome;
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const names = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName);
  const files = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    ...{ file: name, ms: endTime - startTime },
    cases: assertionResults.map(({ fullName, duration }) => ({ title: fullName, ms: duration ?? 0 })),
  }));
  return { ...outcome, counts: { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests, names, files } };
}
