import { readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileTestsIfChanged, packageVsix } from './lib/build.mjs';
import { Problem, heading, main } from './lib/console.mjs';
import { editorEnvironment, mocha } from './lib/editorTests.mjs';
import { inRoot, resultsFolder } from './lib/paths.mjs';
import { withFastFolder } from './lib/temporary.mjs';

/** Quick suites that do more outside of the quick level. */
const shortened = ['restore'];

/**
 * `npm run test:e2e`: the installed VSIX in a browser. `-- --quick` runs the suites that `tests/e2e/quick.json` names, `--rest` all others
 * and those that the quick level shortens;
 * `--grep WORDS` selects, `--repeat N` runs it N times.
 */
await main(async () => {
  const flag = { type: 'boolean', default: false };
  const options = { grep: { type: 'string' }, repeat: { type: 'string', default: '1' }, quick: flag, rest: flag };
  const { values } = parseArgs({ options });
  const repeat = Number(values.repeat);
  if (!Number.isInteger(repeat) || repeat < 1) throw new Problem(`--repeat takes a number, not ${values.repeat}.`);
  if (values.quick && values.rest) throw new Problem('Either --quick or --rest: without both, all suites run.');
  const vsix = await packageVsix();
  await compileTestsIfChanged();
  const env = await editorEnvironment({ OLLAMA_COPILOT_VSIX: vsix });
  rmSync(resultsFolder, { recursive: true, force: true });
  const selection = values.grep ? ['--grep', values.grep] : [];
  // Two cores, two editors.
  const args = ['--config', 'tests/e2e/.mocharc.json', ...selection, '--parallel', '--jobs', '2', ...filesOf(values)];
  const level = values.quick ? { OLLAMA_COPILOT_E2E: 'quick' } : {};
  const run = () => withFastFolder((folder) => mocha(args, { env: { ...env, ...level, ...folder } }));
  if (repeat === 1) return run();
  let failedRuns = 0;
  for (let round = 1; round <= repeat; round++) {
    heading(`round ${round} of ${repeat}`);
    if ((await run()) !== 0) failedRuns++;
  }
  console.log(`${repeat - failedRuns} of ${repeat} rounds passed`);
  return failedRuns === 0 ? 0 : 1;
});

function filesOf({ quick, rest }) {
  const all = 'out/tests/e2e/**/*.e2e.js';
  const names = JSON.parse(readFileSync(inRoot('tests', 'e2e', 'quick.json'), 'utf8'));
  const fileOf = (name) => `out/tests/e2e/${name}.e2e.js`;
  if (quick) return names.map(fileOf);
  const left = rest ? names.filter((name) => !shortened.includes(name)) : [];
  return [...left.flatMap((name) => ['--ignore', fileOf(name)]), all];
}
