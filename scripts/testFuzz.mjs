import { parseArgs } from 'node:util';
import { compileTestsIfChanged } from './lib/build.mjs';
import { Problem, heading, main, note } from './lib/console.mjs';
import { corpora } from './lib/corpora.mjs';
import { mocha } from './lib/editorTests.mjs';
import { environment, node } from './lib/nodes.mjs';
import { inRoot } from './lib/paths.mjs';
import { run } from './lib/processes.mjs';
import { withCaselessFolder, withFastFolder } from './lib/temporary.mjs';

/** Test files with random input, by the names that select them. */
const suites = {
  model: ['checkpoint/model'],
  rules: ['checkpoint/changingRules'],
  ignore: ['checkpoint/ignoreRules'],
  faults: ['checkpoint/faults'],
  names: ['checkpoint/caselessSequences'],
  histories: ['git/history/gitLayouts'],
  review: ['review/interleavings', 'review/weave', 'review/rewrites'],
  conversation: ['agent/longConversation', 'agent/modelSummary'],
  patches: ['agent/tools/applyPatchAsGit'],
  edits: ['agent/tools/edits/editSlips'],
  texts: ['utils/lineDiff', 'database/searchOperators'],
  completions: ['completion/text/dirtyCorpus'],
  calls: ['agent/callCorpus', 'agent/dirtyCalls'],
  solving: ['agent/humanEval.long'],
  injections: ['agent/injections'],
  sandbox: ['terminal/sandbox/escapes.long', 'terminal/sandbox/harmfulCommands.long', 'agent/undoneCommands.long'],
};
/** Suites that change files. Default selection for `--case-insensitive`. */
const ofFiles = ['model', 'rules', 'faults', 'names', 'review'];
/** Data sets that the suites take their cases from. */
const data = { completions: 'HUMAN_EVAL', calls: 'BFCL', solving: 'HUMAN_EVAL', injections: 'INJECTIONS' };
const ofTheView = ['timelineMemo', 'sessionSync'];

/**
 * `npm run test:fuzz [-- --rounds N --seed S name …]`: runs the random tests N times as often as `npm test` (default 50), with a new seed.
 * A failure is reported with the command that reproduces it. `--case-insensitive` runs suites on a file system that compares names as a Mac
 * does. This needs root and FUSE.
 */
await main(async () => {
  const { values, positionals } = parseArgs({
    options: { rounds: { type: 'string', default: '50' }, seed: { type: 'string' }, 'case-insensitive': { type: 'boolean' } },
    allowPositionals: true,
  });
  const names = [...Object.keys(suites), 'view'];
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Problem(`Unknown: ${unknown.join(', ')}. There are ${names.join(', ')}.`);
  const rounds = Number(values.rounds);
  const seed = Number(values.seed ?? 1 + (Date.now() % 1e9));
  if (!(rounds > 0 && Number.isInteger(rounds))) throw new Problem(`--rounds takes a number, not ${values.rounds}.`);
  if (!(seed > 0 && Number.isInteger(seed))) throw new Problem(`--seed takes a number, not ${values.seed}.`);
  const isCaseless = values['case-insensitive'] === true;
  const wanted = positionals.length > 0 ? positionals : isCaseless ? ofFiles : names;
  await compileTestsIfChanged();
  const sets = wanted.filter((name) => name in data).map((name) => data[name]);
  const chosen = { ROUNDS: String(rounds), SEED: String(seed), ...(await corpora(sets)) };
  const failed = await (isCaseless ? withCaselessFolder : withFastFolder)(async (folder) => {
    const failures = [];
    for (const name of wanted) {
      heading(`${name}, ${rounds} times as often, seed ${seed}`);
      if ((await runSuite(name, environment({ ...chosen, ...folder }))) !== 0) failures.push(name);
    }
    return failures;
  });
  if (failed.length === 0) note(`Nothing found from seed ${seed} on.`);
  else
    console.error(
      `\nAgain: npm run test:fuzz -- --rounds ${rounds} --seed ${seed}${isCaseless ? ' --case-insensitive' : ''} ${failed.join(' ')}`,
    );
  return failed.length === 0 ? 0 : 1;
});

function runSuite(name, env) {
  if (name === 'view') {
    const files = ofTheView.map((file) => `tests/webview/${file}.test.ts`);
    return run(node, [inRoot('node_modules', 'vitest', 'vitest.mjs'), 'run', '--testTimeout=0', ...files], { env });
  }
  const files = suites[name].map((file) => `out/tests/unit/${file}.test.js`);
  return mocha(['--no-config', '--timeout', '0'], files, { env });
}
