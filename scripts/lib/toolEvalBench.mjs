import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { Problem } from './console.mjs';
import { cacheRoot, inRoot } from './paths.mjs';
import { unpackPipPackage } from './pipPackage.mjs';
import { capture } from './processes.mjs';

const version = '3.0.0';
const folder = path.join(cacheRoot, `tool-eval-bench-${version}`);

/**
 * Returns the file with all 97 scenarios of tool-eval-bench (MIT), which pip fetches once: their tools, and the results of the calls in
 * `traces.jsonl`, which is our own. Returns undefined without pip or a network. The tests contain three scenarios of our own.
 */
export async function toolEvalBench() {
  const traces = inRoot('tests', 'unit', 'mcp', 'fixtures', 'toolEvalBench', 'traces.jsonl');
  const file = path.join(folder, 'scenarios.jsonl');
  const isThere = existsSync(path.join(folder, 'tool_eval_bench'));
  if (!isThere && !(await unpackPipPackage('tool-eval-bench', version, folder, 'three scenarios of our own'))) return undefined;
  const played = await capture('python3', ['-I', inRoot('scripts', 'lib', 'toolEvalBench.py'), folder, traces, `${file}.new`]);
  if (played.code !== 0) throw new Problem(played.output);
  renameSync(`${file}.new`, file);
  return file;
}
