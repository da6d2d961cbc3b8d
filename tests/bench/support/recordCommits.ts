import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../../support/vscode/location';
import { sampledCommits } from './qualitySet';

/** Writes the sample of commits for `search-quality`. Run `node out/tests/bench/support/recordCommits.js` in a clone with full history. */

const log = execFileSync('git', ['log', '-n', '2000', '--no-merges', '--diff-filter=AM', '--name-only', '--format=%x01%s'], {
  cwd: repository,
  encoding: 'utf8',
  maxBuffer: 1e8,
});
const sample: Record<string, string[]> = {};
for (const commit of log.split('\u0001').slice(1)) {
  const [subject = '', ...names] = commit.split('\n');
  const changed = names.filter((name) => /^src\/.*\.(?:ts|vue)$/.test(name)).sort();
  if (changed.length >= 1 && changed.length <= 5) sample[subject] = changed;
}
const few = Object.entries(sample).filter((_, index) => index % 2 === 0);
writeFileSync(path.join(repository, sampledCommits), `${JSON.stringify(Object.fromEntries(few), null, 2)}\n`);
