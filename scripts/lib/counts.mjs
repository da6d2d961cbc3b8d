import { existsSync, readFileSync } from 'node:fs';

/**
 * Adds up the counts that the tests of a step have recorded. The record has a line of JSON per test file: `{file, passed, failed, skipped,
 * names}`, the times `{ms, cpuMs, cases: [{title, ms}]}`, which are returned in `files`, and `unsteady`, the titles of cases that failed
 * and then passed (`retries.mjs`). Returns undefined without a record.
 */
export function recordedCounts(recordFile) {
  if (!existsSync(recordFile)) return undefined;
  const total = { passed: 0, failed: 0, skipped: 0, names: [], unsteady: [], files: [] };
  for (const line of readFileSync(recordFile, 'utf8').split('\n').filter(Boolean)) {
    const file = JSON.parse(line);
    for (const key of ['passed', 'failed', 'skipped']) total[key] += file[key];
    total.names.push(...file.names);
    total.unsteady.push(...(file.unsteady ?? []));
    total.files.push(file);
  }
  return total;
}
