import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { note } from './console.mjs';
import { cacheRoot } from './paths.mjs';
import { capture } from './processes.mjs';

const version = '0.26.0';
const folder = path.join(cacheRoot, `inspect-evals-${version}`);

/**
 * Returns the file with all injected samples of ipi_coding_agent in inspect-evals (MIT), which pip fetches once; undefined without pip or a network. The
 * tests have twelve of them at hand.
 */
export async function injections() {
  const file = path.join(folder, 'samples.json');
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const fetched = await capture('pip', ['download', `inspect-evals==${version}`, '--no-deps', '--dest', folder]);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (fetched.code !== 0 || wheel === undefined) return without(fetched.output);
  const unpacked = await capture('python3', ['-m', 'zipfile', '-e', path.join(folder, wheel), folder]);
  if (unpacked.code !== 0) return without(unpacked.output);
  const all = JSON.parse(readFileSync(path.join(folder, 'inspect_evals', 'ipi_coding_agent', 'dataset', 'samples.json'), 'utf8'));
  writeFileSync(file, JSON.stringify(all.filter((sample) => !sample.is_benign).map(sampleOf)));
  return file;
}

/** The files of a sample, as the tests read them. */
function sampleOf({ id, payload_category: category, issue_text: issue, repo_files: files }) {
  return { id, category, files: { 'ISSUE.md': issue, ...files } };
}

function without(output) {
  note(`inspect-evals could not be fetched, so its twelve samples at hand have to do: ${output.trim().split('\n').at(-1)}`);
  return undefined;
}
