import { basePathOf, bindOnly, hostOf, httpUrl, isOnThisMachine, shownAddress, type HttpUrl } from '../../../types/httpAddress';
import { AddressError } from './ollamaErrors';
import { t } from '../../../utils/l10n';

export interface ServerAddress {
  display: string;
  /** Scheme, host and port. A bearer token is bound to it. */
  origin: string;
  protocol: HttpUrl['protocol'];
  port: string;
  basePath: string;
  hostHeader: string;
  /** Hosts to connect to, in order. */
  hosts: string[];
  /** Name in the certificate, if it differs from the host. */
  serverName: string | undefined;
}

const loopback = ['127.0.0.1', '::1'];

/**
 * Parses a base URL such as `http://localhost:11434/`. `localhost` becomes both loopback addresses, so the resolver and the IP version that
 * Ollama listens on do not matter. Throws `AddressError` if it is not an http(s) URL.
 */
export function parseServerAddress(baseUrl: string): ServerAddress {
  const url = httpUrl(baseUrl);
  if (url === null) {
    throw new AddressError(
      'The configured address is not a valid http(s) URL',
      t('The address of the Ollama server is not valid. Correct it in the settings. Example: http://localhost:11434'),
    );
  }
  const isLocal = url.hostname === 'localhost' || bindOnly.has(url.hostname);
  return {
    display: shownAddress(baseUrl),
    origin: url.origin,
    protocol: url.protocol,
    port: url.port,
    basePath: basePathOf(url),
    hostHeader: bindOnly.has(url.hostname) ? url.host.replace(url.hostname, 'localhost') : url.host,
    hosts: isLocal ? loopback : [hostOf(url)],
    serverName: isLocal ? 'localhost' : undefined,
  };
}

/** Returns the identity of a server in the storage: its address without path and credentials. */
export function serverKey(baseUrl: string): string {
  return httpUrl(baseUrl)?.origin ?? '';
}

/** Returns whether data for the address crosses a network unencrypted. */
export function isUnencrypted(baseUrl: string): boolean {
  return httpUrl(baseUrl)?.protocol === 'http:' && !isOnThisMachine(baseUrl);
}
