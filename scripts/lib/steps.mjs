import { buildBundles, compileTestsIfChanged, packageVsix } from './build.mjs';
import { browserTests, captured, floorTests, longUnitTests, tool, unitTests, viewTests } from './stepTools.mjs';

const viewTypes = ['--noEmit', '-p', 'tsconfig.webview.json'];
const style = ['--check', '--log-level', 'warn', '.'];
const random = ['model', 'rules', 'ignore', 'faults', 'review', 'texts', 'view'];

/**
 * The steps of `npm test`, and those with `isLong`, which only `npm run test:all` runs. Several run at the same time (`schedule.mjs`). A step
 * is given its environment; it fails by a code other than 0 or by throwing, and its output is shown then. It may record counts in the
 * file that `OLLAMA_COPILOT_COUNTS` names, or return them; a step without counts is one test.
 */
export const steps = [
  { name: 'build', group: 'build', run: () => buildBundles() },
  { name: 'types', group: 'typecheck', run: (env) => compileTestsIfChanged({ env }) },
  { name: 'view', group: 'webview', run: viewTests },
  { name: 'package', group: 'build', needs: ['build'], run: () => packageVsix() },
  // A step of one lane after each that takes two: it runs beside it.
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
    // On one lane, although it has two processes: else it waits until the long suites have ended.
    { name: 'unit on the oldest Node', group: 'unit', needs: ['types', 'package'], run: floorTests },
  ].map((step) => ({ ...step, isLong: true })),
];

/** Runs a part (`unitParts`) of the unit and contract tests. */
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

/** Runs a script of `scripts/`. */
function script(name, ...args) {
  return (env) => captured(env, `scripts/${name}`, ...args);
}
