import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { heading, main, Problem } from './console.mjs';
import { recordedCounts } from './counts.mjs';
import { withCpuTime } from './cpuTime.mjs';
import { steps } from './steps.mjs';
import { printTimes } from './times.mjs';

/** Runs the named groups of steps, or all; each to its end, whatever the ones before it did. `--times` tells where the time went. */
await main(async () => {
  const { values, positionals: wanted } = parseArgs({ options: { times: { type: 'boolean' } }, allowPositionals: true });
  const start = Date.now();
  const groups = new Set(steps.map(({ group }) => group));
  const unknown = wanted.filter((name) => !groups.has(name));
  if (unknown.length > 0) throw new Problem(`Unknown: ${unknown.join(', ')}. There are ${[...groups].join(', ')}.`);
  const results = [];
  const chosen = steps.filter(({ group }) => wanted.length === 0 || wanted.includes(group));
  while (chosen.length > 0) {
    const end = chosen.findIndex(({ isBeside }, index) => index > 0 && !isBeside);
    const [step, ...beside] = chosen.splice(0, end === -1 ? chosen.length : end);
    heading([step, ...beside].map(({ name }) => name).join(', '));
    results.push(...(await Promise.all([perform(step), inTurn(beside)])).flat());
  }
  if (values.times) printTimes(results, Date.now() - start);
  summarize(results);
  return results.some(({ counts }) => counts.failed > 0) ? 1 : 0;
});

async function inTurn(several) {
  const results = [];
  for (const step of several) results.push(await perform(step));
  return results;
}

async function perform(step) {
  const start = Date.now();
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-counts-'));
  const file = path.join(folder, 'counts');
  let code = 0;
  let counts;
  let cpuSeconds;
  try {
    const measured = await withCpuTime(() => step.run({ OLLAMA_COPILOT_COUNTS: file }));
    const { outcome } = measured;
    cpuSeconds = measured.cpuSeconds;
    code = typeof outcome === 'number' ? outcome : (outcome?.code ?? 0);
    if (outcome?.output) console.log(`${step.name}:\n${outcome.output}`);
    counts = outcome?.counts ?? recordedCounts(file);
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    code = 1;
  }
  rmSync(folder, { recursive: true, force: true });
  counts ??= { passed: code === 0 ? 1 : 0, failed: 0, skipped: 0 };
  // A crash is a failure even if every test that was counted had passed.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return { name: step.name, counts, seconds: Math.round((Date.now() - start) / 1000), cpuSeconds };
}

function summarize(results) {
  heading('summary');
  const sum = { passed: 0, failed: 0 };
  for (const { name, counts, seconds } of results) {
    sum.passed += counts.passed;
    sum.failed += counts.failed;
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    console.log(
      `${name.padEnd(24)} ${String(seconds).padStart(4)} s   ${counts.passed} passed, ${counts.failed} failed${skipped}`,
    );
  }
  for (const { name, counts } of results) {
    for (const title of counts.names?.slice(0, 20) ?? []) console.log(`  failed: ${name}: ${title}`);
    for (const title of counts.unsteady ?? []) console.log(`  failed first, passed when run again by itself: ${name}: ${title}`);
  }
  console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
}
