/** The address as it was asked: `localhost` is both of its addresses. */
export function askedAddress(baseUrl: string): string {
  return /^https?:\/\/localhost(?=[:/]|$)/.test(baseUrl) ? `${baseUrl} (127.0.0.1, ::1)` : baseUrl;
}
