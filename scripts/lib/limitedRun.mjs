import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countCpuTimeOf, ticksOf } from './cpuTime.mjs';
import { root } from './paths.mjs';

/** Milliseconds that processes have to write what they are doing. */
const reportTime = 3000;

/**
 * Runs a Node program with its output on the console; answers its exit code. When it has not ended after `minutes`, prints the JavaScript
 * stack of each of its Node processes and kills them all, and what they started: 124, as `timeout` answers.
 */
export async function runWithin(minutes, command, args, { env }) {
  const reports = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-stacks-'));
  const flags = ['--report-on-signal', '--report-signal=SIGUSR2', `--report-directory=${reports}`];
  const NODE_OPTIONS = [env.NODE_OPTIONS, ...flags].filter(Boolean).join(' ');
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...env, NODE_OPTIONS } });
  countCpuTimeOf(child);
  const kill = () => signal(descendants(child.pid), 'SIGKILL');
  process.once('exit', kill);
  const giveUp = new AbortController();
  try {
    const ended = once(child, 'close').then(([code]) => code ?? 128);
    const late = sleep(minutes * 60_000, 'late', { signal: giveUp.signal }).catch(() => undefined);
    const first = await Promise.race([ended, late]);
    if (first !== 'late') return first;
    console.error(`Not ended after ${minutes} minutes. What its processes were doing:`);
    // What does not write reports dies of the signal.
    const writers = descendants(child.pid).filter(writesReports);
    signal(writers, 'SIGUSR2');
    await sleep(reportTime);
    for (const name of readdirSync(reports)) console.error(stackOf(path.join(reports, name)));
    kill();
    await ended;
    return 124;
  } finally {
    giveUp.abort();
    process.removeListener('exit', kill);
    rmSync(reports, { recursive: true, force: true });
  }
}

/** A process and all that it started, as far as the system tells. */
function descendants(pid) {
  if (!existsSync('/proc/self/stat')) return [pid];
  const parents = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [[Number(name), ticksOf(name)?.parent]] : []));
  const found = [pid];
  for (const ancestor of found) found.push(...parents.filter(([, parent]) => parent === ancestor).map(([one]) => one));
  return found;
}

function writesReports(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes('--report-on-signal');
  } catch {
    return false;
  }
}

function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
}

function stackOf(file) {
  try {
    const { header, javascriptStack } = JSON.parse(readFileSync(file, 'utf8'));
    return [`${header.processId}: ${header.commandLine.join(' ')}`, ...(javascriptStack?.stack ?? [])].join('\n    ');
  } catch (error) {
    return `${file}: ${error.message}`;
  }
}
