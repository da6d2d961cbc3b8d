import { compileTestsIfChanged } from './lib/build.mjs';
import { main } from './lib/console.mjs';
import { mocha } from './lib/editorTests.mjs';
import { environment } from './lib/nodes.mjs';
import { withFastFolder } from './lib/temporary.mjs';

/** `npm run test:crash`: the processes that are killed at random moments, 500 times over in place of the 60 of `npm test`. */
await main(async () => {
  await compileTestsIfChanged();
  const files = ['out/tests/unit/checkpoint/crash.test.js'];
  const rounds = process.env.CRASH_ROUNDS ?? '500';
  return withFastFolder((folder) => mocha(['--no-config', ...files], { env: environment({ CRASH_ROUNDS: rounds, ...folder }) }));
});
