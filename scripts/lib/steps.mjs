import { buildBundles, compileTestsIfChanged, packageVsix } from './build.mjs';
import { browserTests, captured, floorTests, tool, unitTests, viewTests } from './stepTools.mjs';

/**
 * The steps of `npm test`, and those with `isLong`, which only `npm run test:all` runs. Two run at the same time (`schedule.mjs`). A step
 * is given its environment; it fails by a code other than 0 or by throwing, and its output is shown then. It may record counts in the
 * file that `OLLAMA_COPILOT_COUNTS` names, or return them; a step without counts is one test. `minutes`: after these it is killed (15).
 */
export const steps = [
  { name: 'build', group: 'build', run: () => buildBundles() },
  { name: 'types', group: 'typecheck', run: (env) => compileTestsIfChanged({ env }) },
  { name: 'package', group: 'build', needs: ['build'], run: () => packageVsix() },
  { name: 'unit and contract', group: 'unit', lanes: 2, needs: ['types', 'package'], run: (env) => unitTests(env) },
  {
    name: 'end to end',
    group: 'e2e',
    needs: ['types', 'package'],
    run: (env) => captured(env, 'scripts/testE2e.mjs', '--quick'),
  },
  {
    name: 'extension host',
    group: 'extension',
    needs: ['types', 'build'],
    run: (env) => captured(env, 'scripts/testExtension.mjs'),
  },
  { name: 'view', group: 'webview', run: viewTests },
  { name: 'eslint', group: 'lint', run: (env) => tool(env, 'eslint/bin/eslint.js', '.') },
  { name: 'accessibility', group: 'webview', run: (env) => browserTests(env, 'dark,hc-light') },
  {
    name: 'types of the view',
    group: 'typecheck',
    run: (env) => tool(env, 'vue-tsc/bin/vue-tsc.js', '--noEmit', '-p', 'tsconfig.webview.json'),
  },
  {
    name: 'prettier',
    group: 'lint',
    run: (env) => tool(env, 'prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'),
  },
  { name: 'layers', group: 'lint', run: (env) => tool(env, 'dependency-cruiser/bin/dependency-cruise.mjs', 'src') },
  { name: 'unused code', group: 'lint', run: (env) => tool(env, 'knip/bin/knip.js') },
  ...[
    { name: 'unit, long cases', group: 'unit', needs: ['types', 'package'], run: (env) => unitTests(env, { isLong: true }) },
    { name: 'unit on the oldest Node', group: 'unit', needs: ['types'], minutes: 15, run: floorTests },
    {
      name: 'end to end, long',
      group: 'e2e',
      needs: ['types', 'package'],
      minutes: 25,
      run: (env) => captured(env, 'scripts/testE2e.mjs', '--rest'),
    },
    { name: 'accessibility, all themes', group: 'webview', run: (env) => browserTests(env) },
    { name: 'kills', group: 'rounds', needs: ['types'], run: (env) => captured(env, 'scripts/testCrash.mjs', '--rounds', '40') },
    {
      name: 'random rounds',
      group: 'rounds',
      needs: ['types'],
      run: (env) => captured(env, 'scripts/testFuzz.mjs', '--rounds', '5', ...random),
    },
    {
      name: 'benchmarks, one round',
      group: 'bench',
      needs: ['types'],
      run: (env) => captured(env, 'scripts/bench.mjs', '--once'),
    },
  ].map((step) => ({ ...step, isLong: true })),
];

const random = ['model', 'rules', 'ignore', 'faults', 'review', 'texts', 'view'];
