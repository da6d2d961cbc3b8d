import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** Clock ticks of `/proc` per second, the same on every Linux that Node supports. */
const perSecond = 100;
const everyMs = 250;
const scope = new AsyncLocalStorage();

/** Runs `work` and adds up the CPU time of all processes that it starts, directly or indirectly. Resolves to the result of `work`. */
export async function withCpuTime(work) {
  const meter = new Meter();
  const timer = existsSync('/proc/self/stat') ? setInterval(() => meter.look(), everyMs) : undefined;
  try {
    const outcome = await scope.run(meter, work);
    return { outcome, cpuSeconds: timer && meter.seconds() };
  } finally {
    clearInterval(timer);
  }
}

/** Returns the meter of the current work. */
export function meterInForce() {
  return scope.getStore();
}

/** Adds a new child process to the current meter. */
export function countCpuTimeOf(child) {
  scope.getStore()?.add(child.pid);
}

/** Returns the parent of a process and its CPU time in ticks, including ended children; `undefined` if the process is gone. */
export function ticksOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const times = rest.slice(9, 13).map(Number);
    return { parent: Number(parent), ticks: times.reduce((sum, value) => sum + value, 0), start: rest[17] };
  } catch {
    return undefined;
  }
}

/**
 * Polls the processes. The CPU time of an ended process is included in its parent's if the parent waited for it. Otherwise the last value
 * seen is kept.
 */
class Meter {
  #seen = new Map();
  #ended = 0;

  add(pid) {
    const state = ticksOf(pid);
    if (state) this.#seen.set(pid, state);
  }

  look() {
    const all = new Map();
    for (const name of readdirSync('/proc')) {
      const state = /^\d+$/.test(name) ? ticksOf(name) : undefined;
      if (state) all.set(Number(name), state);
    }
    const isSame = (pid) => all.get(pid)?.start === this.#seen.get(pid)?.start;
    const gone = [...this.#seen].filter(([pid]) => !isSame(pid));
    for (const [pid, { parent, ticks }] of gone) {
      if (!this.#seen.has(parent) || !isSame(parent)) this.#ended += ticks;
      this.#seen.delete(pid);
    }
    for (const pid of this.#seen.keys()) this.#seen.set(pid, all.get(pid));
    let isNew = true;
    while (isNew) {
      isNew = false;
      for (const [pid, state] of all) {
        if (this.#seen.has(pid) || !this.#seen.has(state.parent)) continue;
        this.#seen.set(pid, state);
        isNew = true;
      }
    }
  }

  /** Returns the processes that are still running. */
  pids() {
    this.look();
    return [...this.#seen.keys()];
  }

  seconds() {
    this.look();
    let sum = this.#ended;
    for (const { ticks } of this.#seen.values()) sum += ticks;
    return Math.round(sum / perSecond);
  }
}
