import { codeServerNeeds } from './lib/codeServer.mjs';
import { main } from './lib/console.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { checkSystemNode, environment, node } from './lib/nodes.mjs';
import { inRoot } from './lib/paths.mjs';
import { run } from './lib/processes.mjs';
import { ensureSystemPackages } from './lib/systemPackages.mjs';

/**
 * `npm test`: runs everything that needs no inference server, even from a fresh clone. The last line is `N passed, N failed`.
 * `npm test -- unit webview` runs only these groups, `--times` prints where the time was spent, `--strict` fails on unsteady cases.
 */
await main(async () => {
  checkSystemNode();
  const args = process.argv.slice(2);
  const groups = args.filter((arg) => !arg.startsWith('-'));
  const needsEditor = groups.length === 0 || groups.some((group) => ['extension', 'e2e'].includes(group));
  const needsSandbox = groups.length === 0 || groups.includes('unit');
  await ensureSystemPackages([
    ...(needsSandbox ? ['sandbox'] : []),
    ...(needsEditor ? ['browser', 'fonts', 'python', 'strace', ...codeServerNeeds()] : []),
  ]);
  await ensureDependencies();
  return run(node, [inRoot('scripts', 'lib', 'testRun.mjs'), ...args], { env: environment() });
});
