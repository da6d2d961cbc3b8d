import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { countCpuTimeOf } from './cpuTime.mjs';
import { root } from './paths.mjs';

/** Runs a command with its output on the console. Returns its exit code. */
export async function run(command, args, options = {}) {
  const { code } = await finished(command, args, { stdio: 'inherit', ...options });
  return code;
}

/** Runs a command quietly. Returns its exit code and its output. */
export async function capture(command, args, options = {}) {
  return finished(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
}

const running = new Set();
process.once('exit', () => running.forEach((child) => child.kill()));

async function finished(command, args, options) {
  const child = spawn(command, args, { cwd: root, ...options });
  running.add(child);
  countCpuTimeOf(child);
  child.once('close', () => running.delete(child));
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  const [code, signal] = await once(child, 'close').catch((error) => {
    output += error.message;
    return [127, null];
  });
  return { code: code ?? (signal ? 128 : 1), output };
}

/** Prints `text` every few seconds while `work` runs, so that a long silence does not look like a hang. */
export async function withProgress(text, work) {
  const start = Date.now();
  const timer = setInterval(() => console.log(`  … ${text} (${Math.round((Date.now() - start) / 1000)} s)`), 15_000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
