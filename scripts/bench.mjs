import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { findBrowser } from './lib/browser.mjs';
import { buildBundles, compileTestsIfChanged } from './lib/build.mjs';
import { keepOutputClean, main, note, Problem } from './lib/console.mjs';
import { filesIn } from './lib/fingerprint.mjs';
import { environment, node } from './lib/nodes.mjs';
import { root } from './lib/paths.mjs';
import { ensureSystemPackages } from './lib/systemPackages.mjs';

/** Preparation that a benchmark needs in addition to its compiled code. */
const needs = {
  activation: () => buildBundles(),
  session: () => buildBundles(),
  markdown: viewInBrowser,
  render: viewInBrowser,
  content: galleryInBrowser,
};

/** Baselines that the figures are compared with, if the cases do not name them. */
const baselines = {
  harness: 'beside all help for weak models; of the tiny models, beside none of it',
  checkpoints:
    "beside what Cline's shadow git did: two walks of fast-glob for nested repositories, its list of exclusions, `git add . --ignore-errors`,\n" +
    '`git commit --allow-empty --no-verify` with automatic gc, `git reset --hard`; sizes with the rows of the database',
};

/** Time limit for one short round, several times what any benchmark takes. A benchmark that hangs fails. */
const onceMs = 180_000;

/** Figures that are measured together with others but can be requested alone. */
const partOf = { append: 'log' };

/**
 * `npm run bench
 * [ndjson|markdown|activation|append|log|search|session|agent|first-token|render|content|checkpoints|review|completions|codebase|search-quality|vectors|indexing|api|analytics|harness|sandbox]`:
 * runs each compiled `tests/bench/NAME.bench.js` in its own process, one after the other. Shows the figures as a table, or with `-- --json`
 * as the lines that the benchmarks print. A missed goal is reported but is not a failure, because figures from a busy machine prove
 * nothing. With `-- --once`, each benchmark does one short round to check that it still runs.
 */
await main(async () => {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'boolean', default: false }, once: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  if (values.json) keepOutputClean();
  await compileTestsIfChanged();
  const files = filesIn(['out/tests/bench']).filter((file) => file.endsWith('.bench.js'));
  const names = files.map((file) => /([^\\/]+)\.bench\.js$/.exec(file)[1]);
  const known = [...names, ...Object.keys(partOf)];
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Problem(`Unknown: ${unknown.join(', ')}. There are ${known.join(', ')}.`);
  let failed = 0;
  for (const [index, name] of names.entries()) {
    const parts = positionals.filter((part) => partOf[part] === name);
    if (positionals.length > 0 && !positionals.includes(name) && parts.length === 0) continue;
    await needs[name]?.();
    const measured = measure(files[index], values.once);
    const figures =
      positionals.includes(name) || parts.length === 0 ? measured : measured?.filter(({ bench }) => parts.includes(bench));
    if (figures === undefined) failed += 1;
    else if (values.once) note(`${name}: ${figures.length} figures`);
    else if (values.json) for (const figure of figures) console.log(JSON.stringify(figure));
    else show(name, figures);
  }
  return failed;
});

function measure(file, isOnce) {
  const { status, stdout, error } = spawnSync(node, [file], {
    ...(isOnce && { timeout: onceMs, killSignal: 'SIGKILL' }),
    cwd: root,
    env: environment({ OLLAMA_COPILOT_BROWSER: findBrowser() ?? '', ...(isOnce && { BENCH_ONCE: '1' }) }),
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (error?.code === 'ETIMEDOUT') note(`Not ended after ${onceMs / 1000} s: ${file}`);
  if (status !== 0) return undefined;
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

function show(name, figures) {
  note(baselines[name] === undefined ? name : `${name}, ${baselines[name]}`);
  console.table(
    Object.fromEntries(
      figures.map(({ case: what, value, baseline, unit, ratio, goal, met }) => [
        what,
        { value: `${value} ${unit}`, baseline: `${baseline} ${unit}`, ratio, goal, met: met ? 'yes' : 'NO' },
      ]),
    ),
  );
}

async function viewInBrowser() {
  await ensureSystemPackages(['browser']);
  // Imported here because the other benchmarks need no bundler.
  const { buildBenchView } = await import('./lib/benchView.mjs');
  await buildBenchView();
}

async function galleryInBrowser() {
  await viewInBrowser();
  const { buildView } = await import('./gallery/page.mjs');
  buildView();
}
