import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const patienceMs = 5_000;

/** Returns environment variables that make a Node process and its children write a report with their stacks to `folder` on SIGUSR2. */
export function reporting(folder) {
  const options = ['--report-on-signal', '--report-signal=SIGUSR2', '--report-compact', `--report-directory=${folder}`];
  return { NODE_OPTIONS: [process.env.NODE_OPTIONS, ...options].filter(Boolean).join(' ') };
}

export function reportFolder() {
  mkdirSync(tmpdir(), { recursive: true });
  return mkdtempSync(path.join(tmpdir(), 'ollama-copilot-stacks-'));
}

/**
 * Requests the stacks of the processes, kills them, and returns the command and stack of each. Takes up to five seconds. Only works on
 * Linux; on other systems it only kills the processes.
 */
export async function stacksOfKilled(pids, folder) {
  const lines = pids.map((pid) => `${pid}: ${commandOf(pid)}`);
  for (const pid of pids.filter((pid) => writesReports(pid))) signal(pid, 'SIGUSR2');
  const end = Date.now() + patienceMs;
  const awaited = pids.filter(writesReports).length;
  while (Date.now() < end && readdirSync(folder).length < awaited) await delay(100);
  for (const name of readdirSync(folder)) lines.push(...stackIn(path.join(folder, name)));
  for (const pid of pids) signal(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  return lines.join('\n');
}

/** Returns true for Node processes that write reports. SIGUSR2 would end any other process. */
function writesReports(pid) {
  return read(`/proc/${pid}/environ`).includes('--report-on-signal') && /(^|\/)node\0/.test(read(`/proc/${pid}/cmdline`));
}

function commandOf(pid) {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 300);
}

function stackIn(file) {
  try {
    const { header, javascriptStack } = JSON.parse(read(file));
    return [`stack of ${header.processId}:`, javascriptStack.message, ...(javascriptStack.stack ?? [])].map(
      (line) => `  ${line}`,
    );
  } catch {
    return [];
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already exited.
  }
}
