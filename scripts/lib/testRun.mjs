import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import limits from '../../tests/limits.json' with { type: 'json' };
import { heading, main, Problem } from './console.mjs';
import { recordedCounts } from './counts.mjs';
import { meterInForce, withCpuTime } from './cpuTime.mjs';
import { schedule } from './schedule.mjs';
import { reportFolder, reporting, stacksOfKilled } from './stacks.mjs';
import { steps } from './steps.mjs';
import { printTimes, recordDurations } from './times.mjs';

/** One more than the number of cores, because tests often wait. */
const lanes = 3;

/**
 * Runs the steps of `npm test`: with `--all` also the long steps, with `--rest` only the long steps. Group names select steps. Each step
 * runs to its end, even if others fail. A run with an unsteady case (`retries.mjs`) passes, but fails with `--strict`. `--times` prints
 * where the time was spent. `--record` saves the durations of unit tests for `unitFiles.mjs`.
 */
await main(async () => {
  const flag = { type: 'boolean', default: false };
  const { values, positionals: wanted } = parseArgs({
    options: { times: flag, all: flag, rest: flag, record: flag, strict: flag },
    allowPositionals: true,
  });
  const start = Date.now();
  const groups = new Set(steps.map(({ group }) => group));
  const unknown = wanted.filter((name) => !groups.has(name));
  if (unknown.length > 0) throw new Problem(`Unknown: ${unknown.join(', ')}. There are ${[...groups].join(', ')}.`);
  const isOfLevel = ({ isLong = false }) => (values.rest ? isLong : values.all || !isLong);
  const results = await schedule(
    withNeeds((step) => isOfLevel(step) && (wanted.length === 0 || wanted.includes(step.group))),
    perform,
    lanes,
  );
  if (values.times) printTimes(results, Date.now() - start);
  if (values.record) recordDurations(results);
  const unsteady = results.flatMap(({ counts }) => counts.unsteady ?? []);
  const failed = summarize(results, unsteady, values.strict, Date.now() - start);
  return failed > 0 ? 1 : 0;
});

/** Returns the selected steps and the steps that they need. Needed steps do nothing if nothing has changed. */
function withNeeds(isChosen) {
  const names = new Set();
  const add = ({ name, needs = [] }) => {
    names.add(name);
    for (const needed of needs) add(steps.find((step) => step.name === needed));
  };
  for (const step of steps.filter(isChosen)) add(step);
  return steps.filter(({ name }) => names.has(name));
}

async function perform(step) {
  const start = Date.now();
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-counts-'));
  const file = path.join(folder, 'counts');
  const ran = await withCpuTime(() => withinTime(step, { OLLAMA_COPILOT_COUNTS: file }));
  const { code, output, counts = recordedCounts(file) ?? { passed: code === 0 ? 1 : 0, failed: 0, skipped: 0 } } = ran.outcome;
  rmSync(folder, { recursive: true, force: true });
  // A crash is a failure even if all counted tests passed.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  const seconds = Math.round((Date.now() - start) / 1000);
  console.log(line({ name: step.name, counts, seconds }));
  if ((counts.failed > 0 || counts.unsteady?.length > 0) && output) {
    heading(`${step.name}: output`);
    console.log(output);
  }
  return { name: step.name, isRecorded: step.isRecorded, counts, seconds, cpuSeconds: ran.cpuSeconds };
}

/** Runs a step until it ends or reaches its time limit. At the limit, its processes are killed and their stacks become its output. */
async function withinTime(step, env) {
  const reports = reportFolder();
  const ended = new AbortController();
  const tooLong = delay(limits.stepMinutes * 60_000, undefined, { signal: ended.signal, ref: false }).then(
    async () => `Killed after ${limits.stepMinutes} minutes:\n${await stacksOfKilled(meterInForce().pids(), reports)}`,
    () => new Promise(() => {}),
  );
  const work = step.run({ ...env, ...reporting(reports) }).then(outcomeOf, (error) => ({
    code: 1,
    output: error instanceof Problem ? error.message : String(error?.stack ?? error),
  }));
  const first = await Promise.race([work, tooLong]);
  if (typeof first === 'string') {
    const rest = await Promise.race([work, delay(5_000, {})]);
    return { ...rest, code: 1, output: [rest.output, first].filter(Boolean).join('\n') };
  }
  ended.abort();
  rmSync(reports, { recursive: true, force: true });
  return first;
}

function outcomeOf(outcome) {
  return typeof outcome === 'object' ? outcome : { code: typeof outcome === 'number' ? outcome : 0 };
}

/** Prints the summary. Returns the number of failed cases, including unsteady cases if `isStrict` is set. */
function summarize(results, unsteady, isStrict, ms) {
  heading('summary');
  const sum = { passed: 0, failed: 0 };
  for (const result of results) {
    sum.passed += result.counts.passed;
    sum.failed += result.counts.failed;
    console.log(line(result));
  }
  for (const { name, counts } of results)
    for (const title of counts.names?.slice(0, 20) ?? []) console.log(`  failed: ${name}: ${title}`);
  for (const title of unsteady) console.log(`unsteady: ${title}`);
  if (isStrict) {
    sum.passed -= unsteady.length;
    sum.failed += unsteady.length;
  }
  console.log(`\n${Math.round(ms / 1000)} s`);
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed;
}

function line({ name, counts: { passed, failed, skipped }, seconds }) {
  const left = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${name.padEnd(26)} ${String(seconds).padStart(4)} s   ${passed} passed, ${failed} failed${left}`;
}
