import { basePathOf, bindOnly, httpUrl, isOnThisMachine, shownAddress, type HttpUrl } from '../../../types/httpAddress';
import { AddressError } from './ollamaErrors';
import { t } from '../../../utils/l10n';

/** The configured address, taken apart. */
export interface ServerAddress {
  /** See `shownAddress`. */
  display: string;
  /** Scheme, host and port: what a bearer token is bound to. */
  origin: string;
  protocol: HttpUrl['protocol'];
  port: string;
  /** See `basePathOf`. */
  basePath: string;
  /** Value of the `Host` header. */
  hostHeader: string;
  /** Hosts to connect to, in the order to try. */
  hosts: string[];
  /** The name the certificate must carry, where it is not the host itself. */
  serverName: string | undefined;
}

const loopback = ['127.0.0.1', '::1'];

/**
 * Takes a base URL such as `http://localhost:11434/` apart. `localhost` becomes both loopback addresses, so that neither
 * the resolver nor the family that Ollama listens on matters.
 * @throws AddressError when it is no http or https URL
 */
export function parseServerAddress(baseUrl: string): ServerAddress {
  const url = httpUrl(baseUrl);
  if (url === null) {
    throw new AddressError(
      'The configured address is not a valid http(s) URL',
      t('The address of the Ollama server is not valid. Correct it in the settings; it looks like http://localhost:11434.'),
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
    hosts: isLocal ? loopback : [url.hostname.replace(/^\[|\]$/g, '')],
    serverName: isLocal ? 'localhost' : undefined,
  };
}

/** Tells whether data sent to the address crosses a network unencrypted. */
export function isUnencrypted(baseUrl: string): boolean {
  return httpUrl(baseUrl)?.protocol === 'http:' && !isOnThisMachine(baseUrl);
}
