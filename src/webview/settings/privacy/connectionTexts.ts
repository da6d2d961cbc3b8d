import type { ConnectionRecord } from '../../../protocol/requests/connectionRequests';
import { fileSize, formatNumber } from '../../../types/format';
import { t } from '../../translate';

export function purposeText({ purpose, direction }: ConnectionRecord): string {
  switch (purpose) {
    case 'ollama':
      return t('Model server');
    case 'mcp':
      return t('MCP server');
    case 'mcpProgram':
      return t('MCP server (program)');
    case 'signIn':
      return direction === 'in' ? t('Sign-in (browser)') : t('Sign-in');
    case 'api':
      return t('Local API');
    case 'sandbox':
      return t('Sandbox');
    case 'command':
      return t('Command');
    case 'lance':
      return t('LanceDB');
    case 'cli':
      return t('Command line');
  }
}

/** Returns the host with its address, or a description of a process. */
export function placeText({ direction, host, address, detail }: ConnectionRecord): string {
  if (direction === 'process') return detail;
  if (direction === 'in') return t('from {0}', address ?? '?');
  return address === null || address === host ? host : `${host} (${address})`;
}

/** Returns the bytes of a connection, or the reason why they are unknown. */
export function amountText({ state, sent, received, isSandboxed, purpose }: ConnectionRecord): string {
  if (state === 'refused') return t('refused');
  if (state === 'failed') return t('failed');
  if (sent === null || received === null) {
    if (isSandboxed === true) return t('observed through the sandbox proxy');
    return purpose === 'command' || purpose === 'mcpProgram' || purpose === 'lance' ? t('not observed') : '';
  }
  return t('{0} sent, {1} received', fileSize(sent), fileSize(received));
}

/** Address, and the reason for its connections. */
export interface ContactedAddress {
  key: string;
  /** Host and port. For incoming connections, the host and port of this computer. */
  host: string;
  purpose: string;
  count: number;
  /** Number of refused connections, which never contacted the address. */
  refused: number;
}

/** Returns each address once per reason, most used first. Omits processes, which have no address. */
export function listAddresses(records: readonly ConnectionRecord[]): ContactedAddress[] {
  const found = new Map<string, ContactedAddress>();
  for (const record of records) {
    if (record.direction === 'process') continue;
    const { host, direction, state } = record;
    const key = [record.purpose, direction, host].join(' ');
    const address = found.get(key) ?? { key, host, purpose: purposeText(record), count: 0, refused: 0 };
    address.count += 1;
    if (state === 'refused') address.refused += 1;
    found.set(key, address);
  }
  return [...found.values()].sort((one, other) => other.count - one.count);
}

/** Returns the number of connections to an address and how many of them were refused. */
export function countText({ count, refused }: ContactedAddress): string {
  const all = count === 1 ? t('1 connection') : t('{0} connections', formatNumber(count));
  if (refused === 0) return all;
  return refused === count ? `${all}, ${t('refused')}` : `${all}, ${t('{0} refused', formatNumber(refused))}`;
}

/** Returns true if a record contains all words of a filter. */
export function matches(record: ConnectionRecord, filter: string): boolean {
  const { host, address, detail, sessionId } = record;
  const text = [host, address, detail, sessionId, purposeText(record), amountText(record)].join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
