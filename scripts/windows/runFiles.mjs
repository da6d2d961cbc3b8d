import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { inRoot, root } from '../lib/paths.mjs';
import { divide } from '../lib/unitFiles.mjs';
import { windowsPath, wineEnvironment } from './wine.mjs';

const lanes = 2;
/** Time in milliseconds without a result after which a process counts as hung. */
const silenceMs = 100_000;
/** Time limit in milliseconds for all tests of a file. */
const fileMs = 420_000;

/**
 * Runs compiled test files under Wine, several per process and two processes at a time, with temporary files in `temporary`. Calls `onPart`
 * with the files of each process and its results, `{state, file, title, error}`. If a process dies or hangs, the test that it was running
 * fails, and the remaining files run in a new process. If files cannot be loaded together, the list is split.
 */
export async function runFiles(nodeFile, files, { processes, temporary, extra, onPart }) {
  const waiting = divide(files, processes).filter((part) => part.length > 0);
  const lane = async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const { records, isWhole, output } = await runPart(nodeFile, part, temporary, extra);
      const { ended, rest } = sortOut(part, records, isWhole, output);
      waiting.push(...rest.filter((files) => files.length > 0));
      onPart(part, ended);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Returns the results, with a failure for the test in which the process died, and lists of the files that have not started. */
function sortOut(part, records, isWhole, output) {
  const ended = records.filter(({ state }) => state !== 'begun');
  if (isWhole) return { ended, rest: [] };
  if (records.length === 0 && part.length > 1) {
    const half = part.length >> 1;
    return { ended, rest: [part.slice(0, half), part.slice(half)] };
  }
  const last = records.at(-1) ?? { file: part[0], title: '(loading)' };
  const error = `The process ended early.\n${output.slice(-3000)}`;
  ended.push({ state: 'failed', file: last.file, title: `${last.title} (process ended)`, error });
  const begun = new Set(records.map(({ file }) => file).concat(last.file));
  return { ended, rest: [part.filter((file) => !begun.has(file))] };
}

async function runPart(nodeFile, files, temporary, extra) {
  const folder = mkdtempSync(path.join(temporary, 'ollama-copilot-wine-'));
  const [resultFile, outputFile] = ['results', 'output'].map((name) => path.join(folder, name));
  const script = (...names) => windowsPath(inRoot(...names));
  const env = wineEnvironment({
    NODE_OPTIONS: `--require=${script('scripts/windows/prepare.cjs').replaceAll('\\', '/')}`,
    OLLAMA_COPILOT_RESULTS: windowsPath(resultFile),
    OLLAMA_COPILOT_WINDOWS_TEMP: windowsPath(folder),
    WINEPATH: windowsPath(path.dirname(nodeFile)),
  });
  const mocha = [
    ...[script('node_modules/mocha/bin/mocha.js'), '--no-config', '--exit'],
    ...['--ui', script('scripts/lib/fileHooks.cjs'), '--reporter', script('scripts/windows/recordReporter.cjs')],
    ...['--timeout', '60000', ...extra, ...files],
  ];
  // Wine loses output that is written to a pipe.
  const output = openSync(outputFile, 'w');
  const child = spawn('wine', [nodeFile, ...mocha], { cwd: root, env, stdio: ['ignore', output, output] });
  closeSync(output);
  const code = await endOf(child, resultFile);
  const text = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const records = text(resultFile)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const failed = records.filter(({ state }) => state === 'failed').length;
  const said = text(outputFile);
  rmSync(folder, { recursive: true, force: true });
  return {
    records,
    isWhole: code !== null && code === Math.min(failed, 255) && records.length > 0,
    output: `${said}\nexit code ${code}`,
  };
}

/** Waits until a process exits. Kills it if nothing is added to its record for `silenceMs`, or if a file takes longer than `fileMs`. */
function endOf(child, resultFile) {
  return new Promise((resolve) => {
    let size = 0;
    let since = Date.now();
    let file = '';
    let fileSince = Date.now();
    const timer = setInterval(() => {
      const now = Date.now();
      const text = existsSync(resultFile) ? readFileSync(resultFile, 'utf8') : '';
      const current = text.match(/"file":"[^"]*"/g)?.at(-1) ?? '';
      if (text.length !== size) {
        size = text.length;
        since = now;
      }
      if (current !== file) {
        file = current;
        fileSince = now;
      }
      if (now - since > silenceMs || now - fileSince > fileMs) child.kill('SIGKILL');
    }, 1000);
    const end = (code) => {
      clearInterval(timer);
      resolve(code);
    };
    child.once('error', () => end(null)).once('exit', end);
  });
}
