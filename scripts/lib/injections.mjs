import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheRoot } from './paths.mjs';
import { unpackPipPackage } from './pipPackage.mjs';

const version = '0.26.0';
const folder = path.join(cacheRoot, `inspect-evals-${version}`);

/**
 * Returns the file with all injected samples of ipi_coding_agent in inspect-evals (MIT), which pip fetches once; undefined without pip or a network. The
 * tests have twelve of them at hand.
 */
export async function injections() {
  const file = path.join(folder, 'samples.json');
  if (existsSync(file)) return file;
  if (!(await unpackPipPackage('inspect-evals', version, folder, 'twelve samples'))) return undefined;
  const all = JSON.parse(readFileSync(path.join(folder, 'inspect_evals', 'ipi_coding_agent', 'dataset', 'samples.json'), 'utf8'));
  writeFileSync(file, JSON.stringify(all.filter((sample) => !sample.is_benign).map(sampleOf)));
  return file;
}

/** The files of a sample, as the tests read them. */
function sampleOf({ id, payload_category: category, issue_text: issue, repo_files: files }) {
  return { id, category, files: { 'ISSUE.md': issue, ...files } };
}
