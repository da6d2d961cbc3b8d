import { existsSync, readFileSync } from 'node:fs';
import { filesIn } from './fingerprint.mjs';
import { inRoot } from './paths.mjs';

/** Recorded duration of each unit test file in milliseconds, written by `npm test -- --record`. */
const recordFile = inRoot('scripts', 'durations.json');
/** Assumed duration of a file that was never measured. */
const unknownMs = 300;

/**
 * Parts of the unit and contract tests, each a step of `npm test` with a similar run time. A single step for all tests would reach its time
 * limit on a slow machine. A part contains the listed folders in `tests/unit`. The part without a list contains the remaining tests.
 */
export const unitParts = {
  agent: ['agent', 'mcp', 'terminal', 'testing'],
  store: ['api', 'checkpoint', 'database', 'export', 'import', 'review', 'serve'],
  rest: undefined,
};

/** Returns the compiled files that belong to a part of `unitParts`. */
export function filesOfPart(files, name) {
  const isIn = (folders) => (file) => folders.some((folder) => file.startsWith(`out/tests/unit/${folder}/`));
  const own = unitParts[name];
  return files.filter(own ? isIn(own) : (file) => !isIn(Object.values(unitParts).flatMap((folders) => folders ?? []))(file));
}

/** Returns the compiled unit and contract tests that are part of every run. With `isLong`, returns the tests that only `npm run test:all` runs. */
export function unitFiles({ isLong = false } = {}) {
  return filesIn(['out/tests/unit', 'out/tests/contract'])
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.test.js') && file.endsWith('.long.test.js') === isLong);
}

/**
 * Divides files into `count` lists with similar total run times. Assigns the slowest files first, each to the list with the shortest total
 * so far.
 */
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

/** Returns as many of the first files as fit into the given milliseconds, but at least one. */
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

/** Returns the source name of a compiled file, under which its durations are recorded. */
export function sourceOf(file) {
  return file
    .replaceAll('\\', '/')
    .replace(/^.*?out\/(?=tests\/)/, '')
    .replace(/\.js$/, '.ts');
}
