/** The address as it was asked: `localhost` is both of its addresses. */
export function askedAddress(baseUrl: string): string {
  return /^https?:\/\/localhost(?=[:/]|$)/.test(baseUrl) ? `${baseUrl} (127.0.0.1, ::1)` : baseUrl;
}

/** The port of a server's base URL, `11434` where it names none. */
export function portOf(baseUrl: string): string {
  return (URL.canParse(baseUrl) && new URL(baseUrl).port) || '11434';
}
