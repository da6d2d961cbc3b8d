import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isProcessGone } from '../../../utils/processes';

/** Returns an owner id: `machine#process#window`. Process ids are valid only on the machine or container that assigned them. */
export function createOwner(): string {
  return `${machineMark()}#${process.pid}#${randomUUID()}`;
}

/**
 * Returns true if the owner's process has certainly ended, so that there is no need to wait for its
 * heartbeat. Returns false if this is unknown: on another machine, or if the process ID was reused.
 */
export function isKnownDead(owner: string): boolean {
  const pid = processHere(owner);
  return pid !== null && isProcessGone(pid);
}

/** Returns true if a process with the owner's id exists on this machine. */
export function hasProcessHere(owner: string): boolean {
  const pid = processHere(owner);
  return pid !== null && !isProcessGone(pid);
}

/** Returns true if two owners belong to one process. A window and its workers have different ids. */
export function isOfOneProcess(one: string, other: string): boolean {
  return one.slice(0, one.lastIndexOf('#')) === other.slice(0, other.lastIndexOf('#'));
}

/**
 * Returns true if paths of this owner are valid on this machine. A restarted
 * container is the same machine, although its process ids start again.
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
