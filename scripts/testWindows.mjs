import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { compileTestsIfChanged } from './lib/build.mjs';
import { main, note } from './lib/console.mjs';
import { withFastFolder } from './lib/temporary.mjs';
import { unitFiles } from './lib/unitFiles.mjs';
import { showGaps } from './windows/showGaps.mjs';
import { runFiles } from './windows/runFiles.mjs';
import { readGaps, recordGaps, sortResults } from './windows/sortResults.mjs';
import { endWine, ensureWine } from './windows/wine.mjs';

/**
 * Tests of what differs most between systems: paths, names, programs,
 * processes and files in use. They take two minutes once Wine's prefix exists.
 */
const quick = [
  ...[
    'agent/workspacePaths',
    'agent/tools/writeFile',
    'checkpoint/fileWriter',
    'checkpoint/restoreFolders',
    'database/storagePath',
    'git/gitPattern',
  ],
  ...['mcp/programCall', 'mcp/variables', 'services/followLinks', 'services/windowsPaths'],
  ...['terminal/cmdLine', 'terminal/plainProgram', 'terminal/shellName', 'terminal/terminalEnvironment'],
  ...['utils/retryWhileInUse', 'utils/textFile', 'utils/windowsNames'],
];

/**
 * `npm run test:windows`: runs the unit and contract tests with Node for Windows under Wine. `-- NAMES` selects test files by a part of
 * their path, `--quick` selects a small set, `--grep WORDS` selects cases, `--json FILE` writes all results, `--gaps` only shows how Wine
 * differs from Windows. Fails on failures that `scripts/windows/gaps.json` does not list, and on listed failures that pass. `--record
 * REASON` adds failures to a reason in the list and removes the cases that pass.
 */
await main(async () => {
  const { values, positionals } = parseArgs({
    options: {
      grep: { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean' },
      gaps: { type: 'boolean' },
      record: { type: 'string' },
    },
    allowPositionals: true,
  });
  const nodeFile = await ensureWine();
  const gaps = readGaps();
  if (values.gaps) {
    const code = await withFastFolder(({ TMPDIR: temporary = tmpdir() }) => showGaps(nodeFile, gaps, temporary));
    await endWine();
    return code;
  }
  await compileTestsIfChanged();
  const names = values.quick ? quick : positionals;
  const files = unitFiles().filter((file) => names.length === 0 || names.some((name) => file.includes(name)));
  const extra = values.grep ? ['--grep', values.grep] : [];
  const results = [];
  const onPart = (part, ended) => {
    results.push(...ended);
    if (values.json) writeFileSync(values.json, JSON.stringify(results, null, 1));
    note(`${part.length} files: ${ended.length} tests, ${ended.filter(({ state }) => state === 'failed').length} failed`);
  };
  const processes = values.quick ? 2 : Math.min(24, files.length);
  await withFastFolder(({ TMPDIR: temporary = tmpdir() }) => runFiles(nodeFile, files, { processes, temporary, extra, onPart }));
  await endWine();
  if (values.record) await recordGaps(results, gaps, values.record);
  return report(results, sortResults(results, gaps));
});

/** Prints the failures that need work, then the counts. Returns the exit code. */
function report(results, { listed, unlisted, stale }) {
  for (const { file, title, error = '' } of unlisted)
    console.log(`  failed: ${file}: ${title}\n    ${error.split('\n').slice(0, 4).join('\n    ')}`);
  for (const { file, title, reason } of stale) console.log(`  passes, but is listed as ${reason}: ${file}: ${title}`);
  const reasons = Map.groupBy(listed, ({ kind, reason }) => `${kind}, ${reason}`);
  for (const [reason, cases] of [...reasons].sort()) console.log(`  ${reason}: ${cases.length}`);
  const count = (kind) => listed.filter((one) => one.kind === kind).length;
  const passed = results.filter(({ state }) => state === 'passed').length;
  const kinds = ['product', 'test', 'environment', 'open'].map((kind) => `${count(kind)} ${kind}`);
  console.log(`${passed} passed; failures: ${kinds.join(', ')}, ${unlisted.length} not listed; ${stale.length} listed ones pass`);
  return unlisted.length + stale.length > 0 ? 1 : 0;
}
