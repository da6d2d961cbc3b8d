import {
  readBasePath,
  bindOnly,
  readHost,
  httpUrl,
  isOnThisMachine,
  shownAddress,
  type HttpUrl,
} from '../../../types/httpAddress';
import { AddressError } from './ollamaErrors';
import { t } from '../../../utils/l10n';

export interface ServerAddress {
  display: string;
  /** Scheme, host and port. Each bearer token is bound to an origin. */
  origin: string;
  protocol: HttpUrl['protocol'];
  port: string;
  basePath: string;
  hostHeader: string;
  /** Hosts to which to connect, in order. */
  hosts: string[];
  /** Host name in the certificate, if it differs from the host. */
  serverName: string | undefined;
}

const loopback = ['127.0.0.1', '::1'];

/**
 * Parses a base URL such as `http://localhost:11434/`. `localhost` becomes both loopback addresses, so that neither the resolver
 * nor the IP version on which Ollama listens matters. Throws `AddressError` if the text is not an http(s) URL.
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
    basePath: readBasePath(url),
    hostHeader: bindOnly.has(url.hostname) ? url.host.replace(url.hostname, 'localhost') : url.host,
    hosts: isLocal ? loopback : [readHost(url)],
    serverName: isLocal ? 'localhost' : undefined,
  };
}

/** Returns the storage key of a server: its address without path and credentials. */
export function serverKey(baseUrl: string): string {
  return httpUrl(baseUrl)?.origin ?? '';
}

/** Returns whether data sent to this address crosses a network unencrypted. */
export function isUnencrypted(baseUrl: string): boolean {
  return httpUrl(baseUrl)?.protocol === 'http:' && !isOnThisMachine(baseUrl);
}
