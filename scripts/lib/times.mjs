import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { heading } from './console.mjs';
import { inRoot, root } from './paths.mjs';
import { sourceOf } from './unitFiles.mjs';

const rows = 40;

/** Prints where a run spent its time: all steps, the slowest test files and the slowest cases. */
export function printTimes(results, ms) {
  heading('times of the steps');
  const cpu = results.reduce((sum, { cpuSeconds = 0 }) => sum + cpuSeconds, 0);
  console.log('  wall s   CPU s   share   step');
  for (const { name, seconds, cpuSeconds } of results) {
    const share = cpuSeconds === undefined ? undefined : `${Math.round((100 * cpuSeconds) / Math.max(1, cpu))} %`;
    console.log(`${cell(seconds)}${cell(cpuSeconds)}${cell(share)}   ${name}`);
  }
  console.log(`${cell(Math.round(ms / 1000))}${cell(cpu)}   all; several steps run at a time`);
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

/** Saves the duration of each unit test file in milliseconds. `unitFiles.mjs` uses them to divide the files. */
export function recordDurations(results) {
  const files = results.filter(({ isRecorded }) => isRecorded).flatMap(({ counts }) => counts.files ?? []);
  const entries = files.map(({ file, ms }) => [sourceOf(file), ms]).filter(([, ms]) => ms >= 100);
  writeFileSync(inRoot('scripts', 'durations.json'), `${JSON.stringify(Object.fromEntries(entries.sort()), undefined, 2)}\n`);
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
