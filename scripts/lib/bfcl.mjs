import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { note } from './console.mjs';
import { cacheRoot, inRoot } from './paths.mjs';
import { capture } from './processes.mjs';

const version = '2026.3.23';
const folder = path.join(cacheRoot, `bfcl-eval-${version}`);

/**
 * Returns the file with all calls of bfcl-eval (Apache-2.0), which pip fetches once; undefined without pip or a network. The tests have eighty examples
 * of them at hand.
 */
export async function bfcl() {
  const file = path.join(folder, 'calls.jsonl');
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const fetched = await capture('pip', ['download', `bfcl-eval==${version}`, '--no-deps', '--dest', folder]);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (fetched.code !== 0 || wheel === undefined) return without(fetched.output);
  const unpacked = await capture('python3', ['-m', 'zipfile', '-e', path.join(folder, wheel), folder]);
  if (unpacked.code !== 0) return without(unpacked.output);
  const read = await capture('python3', [inRoot('scripts', 'lib', 'bfcl.py'), path.join(folder, 'bfcl_eval', 'data'), file]);
  return read.code === 0 ? file : without(read.output);
}

function without(output) {
  note(`bfcl-eval could not be fetched, so its eighty examples at hand have to do: ${output.trim().split('\n').at(-1)}`);
  return undefined;
}
