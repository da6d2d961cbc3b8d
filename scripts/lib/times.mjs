import path from 'node:path';
import { heading } from './console.mjs';
import { root } from './paths.mjs';

const rows = 30;

/** Prints where the time of a run went: each step, the slowest files of tests, the slowest cases. */
export function printTimes(results, ms) {
  heading('times of the steps');
  console.log('  wall s   CPU s   step');
  for (const { name, seconds, cpuSeconds } of results) console.log(`${cell(seconds)}${cell(cpuSeconds)}   ${name}`);
  const cpu = results.reduce((sum, { cpuSeconds = 0 }) => sum + cpuSeconds, 0);
  console.log(`${cell(Math.round(ms / 1000))}${cell(cpu)}   all, the steps that run beside others too`);
  const files = results.flatMap(({ name, counts }) => (counts.files ?? []).map((file) => ({ ...file, step: name })));
  heading(`the ${rows} slowest files of tests`);
  console.log('  wall s   CPU s   file (the CPU of an editor or of other processes that go on is not in it)');
  for (const { file, step, ms: wall, cpuMs } of slowest(files)) {
    console.log(`${cell(tenths(wall))}${cell(cpuMs ? tenths(cpuMs) : undefined)}   ${nameOf(file)} · ${step}`);
  }
  const cases = files.flatMap(({ step, cases: own = [] }) => own.map((one) => ({ ...one, step })));
  heading(`the ${rows} slowest cases`);
  for (const { title, step, ms: wall } of slowest(cases)) console.log(`${cell(tenths(wall))}   ${title} · ${step}`);
}

function slowest(list) {
  return list.sort((one, other) => other.ms - one.ms).slice(0, rows);
}

function cell(value) {
  return String(value ?? '–').padStart(8);
}

function tenths(ms) {
  return (ms / 1000).toFixed(1);
}

function nameOf(file) {
  return path
    .relative(root, file)
    .replace(/^out[\\/]/, '')
    .replace(/\.js$/, '.ts');
}
