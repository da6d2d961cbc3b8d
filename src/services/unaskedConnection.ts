import type { ConnectionState } from '../protocol/webviewEvents';

/** How things stand as long as nobody has asked the server. */
export function unaskedConnection(baseUrl: string, demo: boolean): ConnectionState {
  return { state: 'unknown', baseUrl: shownAddress(baseUrl), version: null, message: null, demo };
}

/** Without the credentials that somebody may have put into it; what is no address stays as it is. */
export function shownAddress(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const { protocol, origin, pathname } = new URL(baseUrl);
  return protocol === 'http:' || protocol === 'https:' ? origin + pathname.replace(/\/+$/, '') : baseUrl;
}
