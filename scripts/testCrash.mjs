import { parseArgs } from 'node:util';
import { compileTestsIfChanged } from './lib/build.mjs';
import { main } from './lib/console.mjs';
import { mocha } from './lib/editorTests.mjs';
import { environment } from './lib/nodes.mjs';
import { withFastFolder } from './lib/temporary.mjs';

/**
 * `npm run test:crash [-- --seed N --rounds N]`: kills processes at random moments, 500 times instead of the 5 times in `npm test`, and
 * indexing processes 60 times. The seed is in the title of the test. It repeats the same actions, but not to the millisecond.
 */
await main(async () => {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, rounds: { type: 'string' } } });
  await compileTestsIfChanged();
  const files = ['out/tests/unit/checkpoint/crash.test.js', 'out/tests/unit/codebase/crash.test.js'];
  const rounds = values.rounds ?? process.env.CRASH_ROUNDS ?? '500';
  const chosen = {
    CRASH_ROUNDS: rounds,
    INDEX_ROUNDS: String(Math.min(60, Number(rounds))),
    SEED: values.seed ?? String(1 + (Date.now() % 1e9)),
  };
  return withFastFolder((folder) => mocha(['--no-config'], files, { env: environment({ ...chosen, ...folder }) }));
});
