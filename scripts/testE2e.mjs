import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileTestsIfChanged, packageVsix } from './lib/build.mjs';
import { Problem, heading, main } from './lib/console.mjs';
import { editorEnvironment, mocha } from './lib/editorTests.mjs';
import { resultsFolder } from './lib/paths.mjs';
import { withSecondRun } from './lib/secondRun.mjs';
import { withFastFolder } from './lib/temporary.mjs';

/** `npm run test:e2e`: the installed VSIX in a browser. `-- --grep WORDS` selects, `-- --repeat N` runs it N times, each counted as it is. */
await main(async () => {
  const { values } = parseArgs({ options: { grep: { type: 'string' }, repeat: { type: 'string', default: '1' } } });
  const repeat = Number(values.repeat);
  if (!Number.isInteger(repeat) || repeat < 1) throw new Problem(`--repeat takes a number, not ${values.repeat}.`);
  const vsix = await packageVsix();
  await compileTestsIfChanged();
  const base = await editorEnvironment({ OLLAMA_COPILOT_VSIX: vsix });
  rmSync(resultsFolder, { recursive: true, force: true });
  const selection = values.grep ? ['--grep', values.grep] : [];
  // Two cores, two editors.
  const atOnce = ['--parallel', '--jobs', '2'];
  const run = (extra, files) => {
    const chosen = files ?? [...atOnce, 'out/tests/e2e/**/*.e2e.js'];
    return mocha(['--config', 'tests/e2e/.mocharc.json', ...selection, ...chosen], { env: { ...base, ...extra } });
  };
  if (repeat === 1) return withFastFolder((folder) => withSecondRun((extra, files) => run({ ...extra, ...folder }, files)));
  let failedRuns = 0;
  for (let round = 1; round <= repeat; round++) {
    heading(`round ${round} of ${repeat}`);
    if ((await withFastFolder((folder) => run(folder))) !== 0) failedRuns++;
  }
  console.log(`${repeat - failedRuns} of ${repeat} rounds passed`);
  return failedRuns === 0 ? 0 : 1;
});
