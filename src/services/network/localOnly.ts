import { isIP } from 'node:net';
import { readPort } from '../../types/httpAddress';
import { AppError } from '../../utils/errors';
import { phrase } from '../../utils/l10n';

/** Connection limits that the user has set. */
export interface NetworkLimits {
  /** True if only this machine and the hosts in `allowed` may be contacted. */
  isLocalOnly: boolean;
  /** Hosts, `host:port` or http(s) addresses that the user has allowed. */
  allowed: readonly string[];
}

export const unlimited: NetworkLimits = { isLocalOnly: false, allowed: [] };

/** Error for a connection that *local connections only* does not allow. No host was contacted. */
export class LocalOnlyError extends AppError {
  readonly code = 'localOnly';

  static forHost(host: string): LocalOnlyError {
    const words = phrase(
      '{0} was not contacted, because only local connections are allowed. To allow it, add it to “Allowed addresses” in the privacy settings.',
      host,
    );
    return new LocalOnlyError(words.english, words);
  }
}

/** Returns whether a host is this machine itself. Other names that resolve to this machine do not count. */
export function isLoopback(host: string): boolean {
  const name = bare(host);
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** Returns whether the user has allowed a host, either for this port or for all ports. */
export function isNamed(host: string, port: number, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const named = parsed(entry.trim());
    return named !== null && named.host === bare(host) && (named.port === null || named.port === port);
  });
}

function parsed(entry: string): { host: string; port: number | null } | null {
  if (entry === '') return null;
  if (isIP(entry) !== 0) return { host: bare(entry), port: null };
  const hasScheme = /^https?:\/\//i.test(entry);
  const text = hasScheme ? entry : `ws://${entry}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const host = bare(url.hostname);
  if (hasScheme) return { host, port: readPort(url) };
  // The URL parser drops the default port of a scheme.
  const given = /:(\d+)$/.exec(entry)?.[1] ?? url.port;
  return { host, port: given === '' ? null : Number(given) };
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
