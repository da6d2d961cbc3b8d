import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileTestsIfChanged, packageVsix } from './lib/build.mjs';
import { Problem, heading, main } from './lib/console.mjs';
import { editorEnvironment, mocha } from './lib/editorTests.mjs';
import { resultsFolder } from './lib/paths.mjs';

/** `npm run test:e2e`: the installed VSIX in a browser. `-- --grep WORDS` selects, `-- --repeat N` runs it N times. */
await main(async () => {
  const { values } = parseArgs({ options: { grep: { type: 'string' }, repeat: { type: 'string', default: '1' } } });
  const repeat = Number(values.repeat);
  if (!Number.isInteger(repeat) || repeat < 1) throw new Problem(`--repeat takes a number, not ${values.repeat}.`);
  const vsix = await packageVsix();
  await compileTestsIfChanged();
  const env = await editorEnvironment({ OLLAMA_COPILOT_VSIX: vsix });
  rmSync(resultsFolder, { recursive: true, force: true });
  let failedRuns = 0;
  for (let round = 1; round <= repeat; round++) {
    if (repeat > 1) heading(`round ${round} of ${repeat}`);
    const selection = values.grep ? ['--grep', values.grep] : [];
    // Two cores, two editors.
    const settings = ['--config', 'tests/e2e/.mocharc.json', '--parallel', '--jobs', '2', ...selection];
    if ((await mocha([...settings, 'out/tests/e2e/**/*.e2e.js'], { env })) !== 0) failedRuns++;
  }
  if (repeat > 1) console.log(`${repeat - failedRuns} of ${repeat} rounds passed`);
  return failedRuns === 0 ? 0 : 1;
});
