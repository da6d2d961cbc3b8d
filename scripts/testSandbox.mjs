import path from 'node:path';
import { parseArgs } from 'node:util';
import { compileTestsIfChanged } from './lib/build.mjs';
import { main } from './lib/console.mjs';
import { mocha } from './lib/editorTests.mjs';
import { environment } from './lib/nodes.mjs';
import { cacheRoot } from './lib/paths.mjs';

/**
 * `npm run test:sandbox [-- NAME …]`: runs everyday commands on real projects
 * (`tests/everyday/support/projects.ts`), outside and in the sandbox. The first run fetches the projects
 * from their package registries. Projects whose tools are missing on this machine are skipped and listed.
 */
await main(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  await compileTestsIfChanged();
  const chosen = { EVERYDAY_FOLDER: path.join(cacheRoot, 'everyday-commands'), EVERYDAY_PROJECTS: positionals.join('\n') };
  const files = ['out/tests/everyday/everydayCommands.test.js'];
  return mocha(['--no-config', '--timeout', '0'], files, { env: environment(chosen) });
});
