export type HttpUrl = URL & { protocol: 'http:' | 'https:' };

/** Parses an address. Returns null if it is not an http(s) URL. */
export function httpUrl(address: string): HttpUrl | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url && /^https?:$/.test(url.protocol) ? (url as HttpUrl) : null;
}

/**
 * Port of an Ollama server if its address contains neither a scheme nor a port, as in
 * `OLLAMA_HOST` (Ollama, `envconfig.Host`).
 */
export const ollamaPort = '11434';

/**
 * Completes a typed address without a scheme, such as `localhost`. Adds `http://` and,
 * if there is no port, the port of Ollama.
 */
export function completedAddress(typed: string): string {
  const address = typed.trim();
  if (address === '' || hasScheme(address)) return address;
  const [, host = '', path = ''] = /^([^/?#]*)(.*)$/s.exec(address) ?? [];
  return `http://${host}${/:\d*$/.test(host) ? '' : `:${ollamaPort}`}${path}`;
}

/** Returns true for an address such as `https://example.com`, and false for a path. */
export function hasScheme(address: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(address);
}

/** Returns the host of an address, without the brackets of an IPv6 address. */
export function readHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Returns the port of an http(s) address. Without a port, returns the default port of its scheme. */
export function readPort({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** Returns the path before `/api` without a slash at the end. It is usually empty. */
export function readBasePath({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}

/** Returns an address for display and logs, without credentials or a slash at the end. Returns other text unchanged. */
export function shownAddress(baseUrl: string): string {
  const url = httpUrl(baseUrl);
  return url ? url.origin + readBasePath(url) : baseUrl;
}

/** Addresses that a server listens on but that clients cannot always connect to. `OLLAMA_HOST` often contains them. */
export const bindOnly: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** Returns true if a base URL refers to this computer. Returns false for other text. */
export function isOnThisMachine(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return bindOnly.has(hostname) || hostname === '[::1]' || /^127\.|^localhost$|\.localhost$/.test(hostname);
}
