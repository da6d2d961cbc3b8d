import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isProcessGone } from '../../utils/processes';

/** `machine#process#window`: who runs a session. Process numbers only mean something on the machine (or container) that gave them. */
export function createOwner(): string {
  return `${machineMark()}#${process.pid}#${randomUUID()}`;
}

/**
 * Whether the process behind an owner is certainly gone, so that nobody has to wait for its heartbeat to grow old. False where it cannot be
 * known: another machine, a number that another process has taken over.
 */
export function isKnownDead(owner: string): boolean {
  const [machine, pid] = owner.split('#');
  if (machine !== machineMark() || !/^[1-9]\d*$/.test(pid ?? '')) return false;
  return isProcessGone(Number(pid));
}

function machineMark(): string {
  return `${hostname().replaceAll('#', '-')}/${processNamespace()}`;
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
