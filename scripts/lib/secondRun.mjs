import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { heading } from './console.mjs';
import { failedFiles } from './counts.mjs';

/** Where more files fail than these, something is broken. */
const mostFiles = 3;

/**
 * Runs tests in an editor; the files of which a case fails are run once more, by themselves, so that what a busy machine breaks is told
 * from what is broken. Both runs are shown, and what passed only then is named in the summary. `run` is given the environment of the
 * run and the files that it is limited to, if it is. Answers the exit code of the last run.
 */
export async function withSecondRun(run) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-runs-'));
  const record = process.env.OLLAMA_COPILOT_COUNTS ?? path.join(folder, 'counts');
  const env = { OLLAMA_COPILOT_COUNTS: record };
  try {
    const code = await run(env);
    const failed = code === 0 ? [] : failedFiles(record);
    if (failed.length === 0 || failed.length > mostFiles || failed.includes('')) return code;
    heading(`once more: ${failed.map((file) => path.basename(file)).join(', ')}`);
    return await run(env, failed);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
