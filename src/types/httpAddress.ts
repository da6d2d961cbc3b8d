export type HttpUrl = URL & { protocol: 'http:' | 'https:' };

/** Parses an address; null if it is no http or https URL. */
export function httpUrl(address: string): HttpUrl | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url && /^https?:$/.test(url.protocol) ? (url as HttpUrl) : null;
}

/** Returns the path before `/api`, without a trailing slash; usually empty. */
export function basePathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}

/** Returns the address for people and logs: without a trailing slash or credentials. A text that is no address stays as it is. */
export function shownAddress(baseUrl: string): string {
  const url = httpUrl(baseUrl);
  return url ? url.origin + basePathOf(url) : baseUrl;
}

/** Addresses that a server binds to but nobody can dial everywhere; `OLLAMA_HOST` often carries them. */
export const bindOnly: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** Tells whether a base URL names this machine; false for a text that is no address. */
export function isOnThisMachine(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return bindOnly.has(hostname) || hostname === '[::1]' || /^127\.|^localhost$|\.localhost$/.test(hostname);
}
