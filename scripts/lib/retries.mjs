import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { heading } from './console.mjs';

const mostTries = 3;
/** Maximum number of failed files to rerun. More failures usually have one cause, which a rerun would only hide. */
const mostFiles = 5;

/**
 * Runs tests in windows with `runOnce(files, env)`, which resolves to an exit code; an empty list runs all files. Files with a failed case
 * are rerun in a new process and window, at most twice. The whole file is rerun because its cases build on each other. Cases that then pass
 * are listed as `unsteady` in the record of counts, whose path is in `env.OLLAMA_COPILOT_COUNTS`. Without a record, a failure is final.
 * Resolves to an exit code.
 */
export async function withRetries(env, runOnce) {
  const record = env.OLLAMA_COPILOT_COUNTS;
  if (!record) return runOnce([], env);
  const run = (files) => recorded((own) => runOnce(files, { ...env, OLLAMA_COPILOT_COUNTS: own }));
  const first = await run([]);
  const results = new Map(first.files.map((counts) => [counts.file, counts]));
  let code = first.code;
  for (let tries = 1; tries < mostTries && canRunAgain(failedIn(results)); tries += 1) {
    const failed = failedIn(results);
    heading(`trying again: ${failed.map(({ file }) => path.basename(file)).join(', ')}`);
    const again = await run(failed.map(({ file }) => file));
    const counted = new Map(again.files.map((counts) => [counts.file, counts]));
    for (const { file, names, unsteady = [] } of failed)
      if (counted.has(file)) results.set(file, { ...counted.get(file), unsteady: [...new Set([...unsteady, ...names])] });
    // A crash is a failure even if all counted cases passed.
    code = again.code;
  }
  if (failedIn(results).length > 0) code ||= 1;
  for (const { unsteady = [], ...counts } of results.values()) {
    const passed = unsteady.filter((title) => !counts.names.includes(title));
    appendFileSync(record, `${JSON.stringify({ ...counts, unsteady: passed })}\n`);
  }
  return code;
}

function failedIn(results) {
  return [...results.values()].filter(({ failed }) => failed > 0);
}

/** Failures outside of all files, such as those of global hooks, have no file that could be rerun. */
function canRunAgain(failed) {
  return failed.length > 0 && failed.length <= mostFiles && failed.every(({ file }) => file !== '');
}

async function recorded(run) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-try-'));
  const own = path.join(folder, 'counts');
  try {
    const code = await run(own);
    const lines = existsSync(own) ? readFileSync(own, 'utf8').split('\n').filter(Boolean) : [];
    return { code, files: lines.map((line) => JSON.parse(line)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
