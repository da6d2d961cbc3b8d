import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheRoot } from './paths.mjs';
import { unpackPipPackage } from './pipPackage.mjs';

const version = '0.26.0';
const folder = path.join(cacheRoot, `inspect-evals-${version}`);

/**
 * Returns the file with all injected samples of ipi_coding_agent from inspect-evals (MIT), which pip fetches once, or undefined without pip
 * or a network. The tests contain twelve of them.
 */
export async function injections() {
  const file = path.join(folder, 'samples.json');
  if (existsSync(file)) return file;
  if (!(await unpackPipPackage('inspect-evals', version, folder, 'twelve samples'))) return undefined;
  const all = JSON.parse(readFileSync(path.join(folder, 'inspect_evals', 'ipi_coding_agent', 'dataset', 'samples.json'), 'utf8'));
  writeFileSync(file, JSON.stringify(all.filter((sample) => !sample.is_benign).map(sampleOf)));
  return file;
}

/** Returns the files of a sample in the format that the tests read. */
function sampleOf({ id, payload_category: category, issue_text: issue, repo_files: files }) {
  return { id, category, files: { 'ISSUE.md': issue, ...files } };
}
