import { existsSync } from 'node:fs';
import path from 'node:path';
import { cacheRoot, inRoot } from './paths.mjs';
import { unpackPipPackage, without } from './pipPackage.mjs';
import { capture } from './processes.mjs';

const version = '2026.3.23';
const folder = path.join(cacheRoot, `bfcl-eval-${version}`);

/**
 * Returns the file with all calls from bfcl-eval (Apache-2.0), which pip fetches once, or undefined without pip or a network. The tests
 * contain eighty examples of them.
 */
export async function bfcl() {
  const file = path.join(folder, 'calls.jsonl');
  if (existsSync(file)) return file;
  if (!(await unpackPipPackage('bfcl-eval', version, folder, 'eighty examples'))) return undefined;
  const read = await capture('python3', [inRoot('scripts', 'lib', 'bfcl.py'), path.join(folder, 'bfcl_eval', 'data'), file]);
  if (read.code === 0) return file;
  without('bfcl-eval', 'eighty examples', read.output);
  return undefined;
}
