import { compileTestsIfChanged } from './lib/build.mjs';
import { main, note } from './lib/console.mjs';
import { testsOf } from './lib/importGraph.mjs';
import { environment, node } from './lib/nodes.mjs';
import { inRoot } from './lib/paths.mjs';
import { capture, run } from './lib/processes.mjs';
import { unit } from './lib/stepTools.mjs';
import { within } from './lib/unitFiles.mjs';

/**
 * Maximum total duration of the selected tests in milliseconds. Two run at a time, so checking one changed file takes at most two minutes.
 */
const mostMs = 140_000;

/**
 * `npm run test:changed [-- FILE …]`: runs the unit, contract and view tests that import files changed since the last commit, or the named
 * files. If nothing has changed, uses the files of the last commit. If there are too many tests, runs the nearest ones for about a minute.
 */
await main(async () => {
  const named = process.argv.slice(2);
  const changed = named.length > 0 ? named : await changedFiles();
  await compileTestsIfChanged();
  const all = testsOf(changed);
  const files = within(all, mostMs);
  const left = all.length === files.length ? '' : `; ${all.length - files.length} that are farther away are left to npm test`;
  note(`${changed.length} changed files; ${files.length} files of unit tests import them${left}`);
  const { code, output } = await unit({}, node, files);
  console.log(output);
  const codes = [code];
  const inView = changed.filter((file) => /^(src|tests\/webview)\/.*\.(ts|vue)$/.test(file));
  if (inView.length > 0) {
    const vitest = [inRoot('node_modules', 'vitest', 'vitest.mjs'), 'related', '--run', '--passWithNoTests', '--reporter=dot'];
    codes.push(await run(node, [...vitest, ...inView], { env: environment() }));
  }
  return Math.max(0, ...codes);
});

async function changedFiles() {
  const names = async (...args) => (await capture('git', args)).output.split('\n').filter(Boolean);
  const changed = [
    ...(await names('diff', '--name-only', 'HEAD')),
    ...(await names('ls-files', '--others', '--exclude-standard')),
  ];
  return changed.length > 0 ? changed : names('diff', '--name-only', 'HEAD~1');
}
