import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { corpora } from './corpora.mjs';
import { quietMocha } from './editorTests.mjs';
import { ensureFloorNode, environment, node } from './nodes.mjs';
import { inRoot } from './paths.mjs';
import { capture } from './processes.mjs';
import { withFastFolder } from './temporary.mjs';
import { divide, filesOfPart, unitFiles } from './unitFiles.mjs';

/**
 * How many processes share the tests of a step, two at a time. More than two, since what a process starts costs the more the larger
 * it has grown: in one process a quarter of all time went into copying its memory map for each child.
 */
const unitProcesses = 4;
/** Data sets of which the long cases take all. */
const wholeSets = ['HUMAN_EVAL', 'BFCL', 'TOOL_EVAL_BENCH'];

/** Runs a tool of `node_modules`. */
export function tool(env, file, ...args) {
  return capture(node, [inRoot('node_modules', ...file.split('/')), ...args], { env: environment(env) });
}

/** Runs a script of this repository. */
export function captured(env, script, ...args) {
  return capture(node, [inRoot(...script.split('/')), ...args], { env: environment(env) });
}

/** Runs a part (`unitParts`) of the unit and contract tests of every run. */
export function unitTests(env, part) {
  return unit(env, node, filesOfPart(unitFiles(), part));
}

/** Runs the unit tests that only `npm run test:all` runs, on whole data sets. */
export async function longUnitTests(env) {
  return unit({ ...(await corpora(wholeSets)), ...env }, node, unitFiles({ isLong: true }));
}

/** Folders of tests whose subject depends on Node itself: SQLite, files, processes, workers, streams, sockets. */
const onNode = [
  'api',
  'checkpoint',
  'cli',
  'database',
  'export',
  'import',
  'mcp',
  'model',
  'serve',
  'services',
  'terminal',
  'utils',
];

/** Runs on the oldest Node what depends on Node itself. */
export async function floorTests(env) {
  const files = unitFiles().filter((file) => onNode.some((name) => file.startsWith(`out/tests/unit/${name}/`)));
  return unit(env, await ensureFloorNode(), files);
}

/** Runs files of tests in several processes, two at a time; those that take longest begin. */
export function unit(env, nodeFile, files) {
  return withFastFolder(async (folder) => {
    const waiting = divide(files, unitProcesses).filter((part) => part.length > 0);
    const results = [];
    const lane = async () => {
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift())
        results.push(
          await quietMocha(['--no-config'], part, {
            nodeFile,
            env: environment({ OLLAMA_COPILOT_BRIEF: '1', ...env, ...folder }),
          }),
        );
    };
    await Promise.all([lane(), lane()]);
    const failed = results.filter(({ code }) => code !== 0);
    return { code: Math.max(0, ...failed.map(({ code }) => code)), output: failed.map(({ output }) => output).join('\n') };
  });
}

/** Checks the main pages with axe, in the named themes; the whole gallery takes many minutes. */
export function browserTests(env, themes) {
  const chat = ['ready', 'no-models', 'answer', 'approval-grave', 'changes', 'context', 'restore-plan-left-out'];
  const lists = [
    'history',
    'search-results',
    'settings-connection',
    'settings-models',
    'settings-chat',
    'settings-privacy',
    'settings-errors',
  ];
  return captured(env, 'scripts/gallery/run.mjs', '--width', '420', '--theme', themes, ...chat, ...lists);
}

export async function viewTests(env) {
  const report = inRoot('node_modules', '.cache', 'ollama-copilot', 'vitest.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile=${path.normalize(report)}`];
  const outcome = await tool(env, 'vitest/vitest.mjs', 'run', ...reporters);
  if (!existsSync(report)) return outcome;
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const names = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName);
  const files = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    file: name,
    ms: endTime - startTime,
    cases: assertionResults.map(({ fullName, duration }) => ({ title: fullName, ms: duration ?? 0 })),
  }));
  return { ...outcome, counts: { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests, names, files } };
}
