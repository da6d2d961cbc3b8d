import { buildBundles, compileTestsIfChanged, packageVsix } from './build.mjs';
import { browserTests, captured, floorTests, longUnitTests, tool, unitTests, viewTests } from './stepTools.mjs';

const viewTypes = ['--noEmit', '-p', 'tsconfig.webview.json'];
const style = ['--check', '--log-level', 'warn', '.'];
const random = ['model', 'rules', 'ignore', 'faults', 'review', 'texts', 'view'];

/**
 * Steps of `npm test`, and long steps (`isLong`) that only `npm run test:all` runs. Several steps run at the same time (`schedule.mjs`). A
 * step receives its environment. It fails if it returns a code other than 0 or throws; then its output is shown. A step can record counts
 * in the file that `OLLAMA_COPILOT_COUNTS` names, or return them. A step without counts is one test.
 */
export const steps = [
  { name: 'build', group: 'build', run: () => buildBundles() },
  { name: 'types', group: 'typecheck', run: (env) => compileTestsIfChanged({ env }) },
  { name: 'view', group: 'webview', run: viewTests },
  { name: 'package', group: 'build', needs: ['build'], run: () => packageVsix() },
  // Each step with two lanes is followed by a step with one lane, which runs at the same time.
  unit('agent'),
  { name: 'extension host', group: 'extension', needs: ['types', 'build'], run: script('testExtension.mjs') },
  unit('store'),
  { name: 'eslint', group: 'lint', run: (env) => tool(env, 'eslint/bin/eslint.js', '.') },
  unit('rest'),
  { name: 'accessibility', group: 'webview', needs: ['build'], run: (env) => browserTests(env, 'dark,hc-light') },
  { name: 'end to end', group: 'e2e', lanes: 2, needs: ['types', 'package'], run: script('testE2e.mjs', '--quick') },
  { name: 'types of the view', group: 'typecheck', run: (env) => tool(env, 'vue-tsc/bin/vue-tsc.js', ...viewTypes) },
  { name: 'prettier', group: 'lint', run: (env) => tool(env, 'prettier/bin/prettier.cjs', ...style) },
  { name: 'layers', group: 'lint', run: (env) => tool(env, 'dependency-cruiser/bin/dependency-cruise.mjs', 'src') },
  { name: 'words', group: 'lint', run: script('words/check.mjs') },
  { name: 'unused code', group: 'lint', run: (env) => tool(env, 'knip/bin/knip.js') },
  ...[
    { name: 'end to end, long', group: 'e2e', lanes: 2, needs: ['types', 'package'], run: script('testE2e.mjs', '--rest') },
    { name: 'first hour', group: 'e2e', lanes: 2, needs: ['types', 'package'], run: script('testE2e.mjs', '--first-hour') },
    { name: 'random rounds', group: 'rounds', needs: ['types'], run: script('testFuzz.mjs', '--rounds', '5', ...random) },
    { name: 'accessibility, other themes', group: 'webview', needs: ['build'], run: (env) => browserTests(env, 'light,hc-dark') },
    { name: 'kills', group: 'rounds', needs: ['types'], run: script('testCrash.mjs', '--rounds', '40') },
    { name: 'unit, long cases', group: 'unit', needs: ['types', 'package'], run: longUnitTests },
    { name: 'benchmarks, one round', group: 'bench', needs: ['types', 'build'], run: script('bench.mjs', '--once') },
    // Uses one lane although it has two processes. Otherwise it would wait until the long suites have ended.
    { name: 'unit on the oldest Node', group: 'unit', needs: ['types', 'package'], run: floorTests },
  ].map((step) => ({ ...step, isLong: true })),
];

/** Returns a step that runs one part (`unitParts`) of the unit and contract tests. */
function unit(part) {
  return {
    name: `unit: ${part}`,
    group: 'unit',
    lanes: 2,
    needs: ['types', 'package'],
    isRecorded: true,
    run: (env) => unitTests(env, part),
  };
}

/** Returns a function that runs a script in `scripts/`. */
function script(name, ...args) {
  return (env) => captured(env, `scripts/${name}`, ...args);
}
