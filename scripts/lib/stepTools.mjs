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
 * Number of processes that share the tests of a step. Two run at a time. There are more than two because starting a child process costs
 * more in a large process. With a single process, a quarter of the time was spent on copying its memory map for each child.
 */
const unitProcesses = 4;
/** Data sets that the long cases use completely. */
const wholeSets = ['HUMAN_EVAL', 'BFCL', 'TOOL_EVAL_BENCH'];

/** Runs a tool from `node_modules`. */
export function tool(env, file, ...args) {
  return capture(node, [inRoot('node_modules', ...file.split('/')), ...args], { env: environment(env) });
}

/** Runs a script in this repository. */
export function captured(env, script, ...args) {
  return capture(node, [inRoot(...script.split('/')), ...args], { env: environment(env) });
}

/** Runs one part (`unitParts`) of the unit and contract tests that every run includes. */
export function unitTests(env, part) {
  return unit(env, node, filesOfPart(unitFiles(), part));
}

/** Runs the unit tests that only `npm run test:all` includes, on complete data sets. */
export async function longUnitTests(env) {
  return unit({ ...(await corpora(wholeSets)), ...env }, node, unitFiles({ isLong: true }));
}

/** Test folders whose code depends on Node itself: SQLite, files, processes, workers, streams, sockets. */
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

/** Runs the tests that depend on Node itself on the oldest supported Node. */
export async function floorTests(env) {
  const files = unitFiles().filter((file) => onNode.some((name) => file.startsWith(`out/tests/unit/${name}/`)));
  return unit(env, await ensureFloorNode(), files);
}

/** Runs test files in several processes, two at a time. The slowest files start first. */
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

/** Checks the main pages with axe in the given themes. The whole gallery would take many minutes. */
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
