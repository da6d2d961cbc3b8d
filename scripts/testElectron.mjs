import { parseArgs } from 'node:util';
import { buildBundles, compileTestsIfChanged } from './lib/build.mjs';
import { main } from './lib/console.mjs';
import { environment, node } from './lib/nodes.mjs';
import { inRoot } from './lib/paths.mjs';
import { run } from './lib/processes.mjs';

/** `npm run test:electron`: same as test:extension, but in a downloaded desktop VS Code. `-- 1.105.0` selects a version. */
await main(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  await buildBundles();
  await compileTestsIfChanged();
  return run(node, [inRoot('out', 'tests', 'extension', 'runInElectron.js'), ...positionals], { env: environment() });
});
