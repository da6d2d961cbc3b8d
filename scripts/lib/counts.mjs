import { existsSync, readFileSync } from 'node:fs';

/**
 * What the tests of a step have recorded, one line of JSON for each file of tests in each run of it: `{file, passed, failed, skipped, names}`,
 * and the times: `{ms, cpuMs, cases: [{title, ms}]}`, which `files` has.
 * A file that was run again counts as it ended then; `unsteady` are the titles that failed before and not then. Undefined without a record.
 */
export function recordedCounts(recordFile) {
  if (!existsSync(recordFile)) return undefined;
  const total = { passed: 0, failed: 0, skipped: 0, names: [], unsteady: [], files: [] };
  for (const [{ names: before }, last] of Object.values(runsByFile(recordFile)).map((runs) => [runs[0], runs.at(-1)])) {
    for (const key of ['passed', 'failed', 'skipped']) total[key] += last[key];
    total.names.push(...last.names);
    total.files.push(last);
    total.unsteady.push(...before.filter((name) => !last.names.includes(name)));
  }
  return total;
}

function runsByFile(recordFile) {
  const runs = {};
  for (const line of readFileSync(recordFile, 'utf8').split('\n').filter(Boolean)) {
    const run = JSON.parse(line);
    (runs[run.file] ??= []).push(run);
  }
  return runs;
}
