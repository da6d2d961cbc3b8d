import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { compileTestsIfChanged } from './lib/build.mjs';
import { main, note } from './lib/console.mjs';
import { filesIn } from './lib/fingerprint.mjs';
import { environment, node } from './lib/nodes.mjs';
import { root } from './lib/paths.mjs';

/**
 * `npm run bench`: each compiled `tests/bench/*.bench.js` in a process of its own. A benchmark prints lines of JSON
 * `{"name": …, "value": …, "unit": …}`; they are shown as a table, or as they are with `-- --json`. A word selects by file name.
 */
await main(async () => {
  const { values, positionals } = parseArgs({ options: { json: { type: 'boolean', default: false } }, allowPositionals: true });
  await compileTestsIfChanged();
  const files = filesIn(['out/tests/bench'])
    .filter((file) => file.endsWith('.bench.js'))
    .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)));
  if (files.length === 0) note('There are no benchmarks yet.');
  let failed = 0;
  const results = [];
  for (const file of files) {
    const { status, stdout } = spawnSync(node, [file], {
      cwd: root,
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    });
    if (status !== 0) failed++;
    for (const line of stdout.split('\n').filter((text) => text.startsWith('{'))) results.push(JSON.parse(line));
  }
  if (values.json) for (const result of results) console.log(JSON.stringify(result));
  else if (results.length > 0) console.table(results);
  return failed;
});
