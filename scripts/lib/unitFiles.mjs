import { existsSync, readFileSync } from 'node:fs';
import { filesIn } from './fingerprint.mjs';
import { inRoot } from './paths.mjs';

/** Milliseconds that each file of unit tests took, as `npm test -- --record` wrote them. */
const recordFile = inRoot('scripts', 'durations.json');
/** Of a file that was never measured. */
const unknownMs = 300;

/**
 * The parts of the unit and contract tests, each a step of `npm test` of about the same time: one step of all would reach its limit on a slow
 * machine. A part takes these folders of `tests/unit`; the part without a list takes what is left.
 */
export const unitParts = {
  agent: ['agent', 'mcp', 'terminal', 'testing'],
  store: ['api', 'checkpoint', 'database', 'export', 'import', 'review', 'serve'],
  rest: undefined,
};

/** Returns those of the compiled files that belong to a part of `unitParts`. */
export function filesOfPart(files, name) {
  const isIn = (folders) => (file) => folders.some((folder) => file.startsWith(`out/tests/unit/${folder}/`));
  const own = unitParts[name];
  return files.filter(own ? isIn(own) : (file) => !isIn(Object.values(unitParts).flatMap((folders) => folders ?? []))(file));
}

/** Returns the compiled unit and contract tests: those of every run, or with `isLong` those that only `npm run test:all` runs. */
export function unitFiles({ isLong = false } = {}) {
  return filesIn(['out/tests/unit', 'out/tests/contract'])
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.test.js') && file.endsWith('.long.test.js') === isLong);
}

/** Divides files into `count` lists that take about as long as each other: the longest first, each to the list with the least so far. */
export function divide(files, count) {
  const timed = files.map(timer());
  const parts = Array.from({ length: count }, () => ({ files: [], ms: 0 }));
  for (const { file, ms } of timed.sort((one, other) => other.ms - one.ms)) {
    const part = parts.reduce((least, next) => (next.ms < least.ms ? next : least));
    part.files.push(file);
    part.ms += ms;
  }
  return parts.map((part) => part.files.sort());
}

/** Returns the first of the files, as many as take the given milliseconds together, and at least one. */
export function within(files, ms) {
  let sum = 0;
  const timed = files.map(timer());
  const end = timed.findIndex((one) => (sum += one.ms) > ms);
  return end < 0 ? files : files.slice(0, Math.max(1, end));
}

function timer() {
  const recorded = existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : {};
  return (file) => ({ file, ms: recorded[sourceOf(file)] ?? unknownMs });
}

/** Returns the name under which the durations of a compiled file are recorded: that of its source. */
export function sourceOf(file) {
  return file
    .replaceAll('\\', '/')
    .replace(/^.*?out\/(?=tests\/)/, '')
    .replace(/\.js$/, '.ts');
}
