import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isProcessGone } from '../../../utils/processes';

/** `machine#process#window`: who runs a session. Process numbers only mean something on the machine (or container) that gave them. */
export function createOwner(): string {
  return `${machineMark()}#${process.pid}#${randomUUID()}`;
}

/**
 * Tells whether the process behind an owner is certainly gone, so that nobody has to wait for its heartbeat to grow old.
 * False if it
 * cannot be known: another machine, or a number that another process has taken over.
 */
export function isKnownDead(owner: string): boolean {
  const pid = processHere(owner);
  return pid !== null && isProcessGone(pid);
}

/** Tells whether a process on this machine has the number of the owner's. */
export function hasProcessHere(owner: string): boolean {
  const pid = processHere(owner);
  return pid !== null && !isProcessGone(pid);
}

/** Tells whether two owners are of one process: a window and its workers have a name each. */
export function isOfOneProcess(one: string, other: string): boolean {
  return one.slice(0, one.lastIndexOf('#')) === other.slice(0, other.lastIndexOf('#'));
}

/**
 * Tells whether the paths of an owner are paths on this machine. A restarted container is the same machine, although it
 * counts its
 * processes anew.
 */
export function isOfThisMachine(owner: string): boolean {
  return owner.startsWith(`${machineName()}/`);
}

function processHere(owner: string): number | null {
  const [machine, pid] = owner.split('#');
  return machine === machineMark() && /^[1-9]\d*$/.test(pid ?? '') ? Number(pid) : null;
}

function machineMark(): string {
  return `${machineName()}/${processNamespace()}`;
}

function machineName(): string {
  return hostname().replaceAll('#', '-');
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
