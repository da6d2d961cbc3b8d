import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildBundles, packInto, vsixFor } from './lib/build.mjs';
import { Problem, main, note } from './lib/console.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { npmSbom } from './lib/npm.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { capture } from './lib/processes.mjs';
import { lanceTargets } from './lancedb/native.mjs';
import { checkRelease, publishCommands } from './release/checkRelease.mjs';
import { shippedSbom } from './release/sbom.mjs';

/**
 * `npm run release`: writes all packages of this version, their checksums, the list of their content and the release notes to `release/`.
 * Publishes nothing; `.github/workflows/release.yml` does. `-- --repository URL` sets the repository for the links in README.md, `-- --tag
 * v1.2.3` must match the version, `-- --dry-run` works without a repository.
 */
await main(async () => {
  const { values } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false }, repository: { type: 'string' }, tag: { type: 'string' } },
  });
  const { version, repository: known } = json('package.json');
  const status = await capture('git', ['status', '--porcelain']);
  const { notes, problem } = checkRelease({
    version,
    tag: values.tag,
    repository: values.repository ?? known?.url,
    isDryRun: values['dry-run'],
    changes: status.code === 0 ? status.output : 'git status failed',
    changelog: readFileSync(inRoot('CHANGELOG.md'), 'utf8'),
  });
  if (problem !== undefined) throw new Problem(problem);
  await ensureDependencies();
  await buildBundles();

  const folder = inRoot('release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const targets = [undefined, ...Object.keys(lanceTargets)];
  for (const target of targets) await packInto(vsixFor(target, folder), { target, repository: values.repository });
  const sbom = path.join(folder, `ollama-copilot-${version}.cdx.json`);
  const { code, output } = await npmSbom();
  if (code !== 0) throw new Problem(`${output}\nnpm could not list the dependencies.`);
  writeFileSync(sbom, `${JSON.stringify(shippedSbom(JSON.parse(output), json('package-lock.json')), null, 2)}\n`);
  const files = [...targets.map((target) => vsixFor(target, folder)), sbom];
  writeFileSync(path.join(folder, 'SHA256SUMS'), files.map(checksumLine).join(''));
  writeFileSync(path.join(folder, 'NOTES.md'), `${notes}\n`);

  for (const file of files) note(`${path.relative(root, file)}: ${Math.round(statSync(file).size / 1024)} KB`);
  console.log(`\nNothing was published. The release workflow publishes a pushed tag v${version} by:\n`);
  for (const command of publishCommands(version)) console.log(`  ${command}`);
});

function json(name) {
  return JSON.parse(readFileSync(inRoot(name), 'utf8'));
}

/** Returns a line in the format of `sha256sum --check`. */
function checksumLine(file) {
  return `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${path.basename(file)}\n`;
}
