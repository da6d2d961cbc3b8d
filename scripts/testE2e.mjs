import { readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileTestsIfChanged, packageVsix } from './lib/build.mjs';
import { Problem, heading, main } from './lib/console.mjs';
import { editorEnvironment, mochaInWindows } from './lib/editorTests.mjs';
import { inRoot, resultsFolder } from './lib/paths.mjs';
import { withFastFolder } from './lib/temporary.mjs';

/** Quick suites that run more cases outside of the quick level. */
const shortened = ['restore'];

/**
 * `npm run test:e2e`: tests the installed VSIX in a browser. `-- --quick` runs the suites in `tests/e2e/quick.json`, `--first-hour` the
 * acceptance tests, `--rest` all others and the suites that the quick level shortens. `--grep WORDS` selects cases, `--repeat N` runs them
 * N times.
 */
await main(async () => {
  const flag = { type: 'boolean', default: false };
  const flags = {
    grep: { type: 'string' },
    repeat: { type: 'string', default: '1' },
    quick: flag,
    rest: flag,
    'first-hour': flag,
  };
  const { values } = parseArgs({ options: flags });
  const repeat = Number(values.repeat);
  if (!Number.isInteger(repeat) || repeat < 1) throw new Problem(`--repeat takes a number, not ${values.repeat}.`);
  if ([values.quick, values.rest, values['first-hour']].filter(Boolean).length > 1)
    throw new Problem('Only one of --quick, --first-hour and --rest: without them, all suites run.');
  const vsix = await packageVsix();
  await compileTestsIfChanged();
  const env = await editorEnvironment({ OLLAMA_COPILOT_VSIX: vsix });
  rmSync(resultsFolder, { recursive: true, force: true });
  const { files, ignored } = filesOf(values);
  const options = ['--config', 'tests/e2e/.mocharc.json', ...ignored.flatMap((file) => ['--ignore', file])];
  if (values.grep) options.push('--grep', values.grep);
  // Two cores run two editors.
  const parallel = ['--parallel', '--jobs', '2'];
  const level = values.quick ? { OLLAMA_COPILOT_E2E: 'quick' } : {};
  const run = () =>
    withFastFolder((folder) => mochaInWindows(options, files, { env: { ...env, ...level, ...folder }, parallel }));
  if (repeat === 1) return run();
  let failedRuns = 0;
  for (let round = 1; round <= repeat; round++) {
    heading(`round ${round} of ${repeat}`);
    if ((await run()) !== 0) failedRuns++;
  }
  console.log(`${repeat - failedRuns} of ${repeat} rounds passed`);
  return failedRuns === 0 ? 0 : 1;
});

/** Returns the compiled suites that the flags select, and the suites to exclude. */
function filesOf({ quick, rest, 'first-hour': firstHour }) {
  const names = JSON.parse(readFileSync(inRoot('tests', 'e2e', 'quick.json'), 'utf8'));
  const fileOf = (name) => `out/tests/e2e/${name}.e2e.js`;
  if (quick) return { files: names.map(fileOf), ignored: [] };
  const acceptance = ['firstHour/*', 'afternoon/*'].map(fileOf);
  if (firstHour) return { files: acceptance, ignored: [] };
  const ignored = rest ? [...acceptance, ...names.filter((name) => !shortened.includes(name)).map(fileOf)] : [];
  return { files: [fileOf('**/*')], ignored };
}
