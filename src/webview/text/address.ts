/** Whether the address is one of this machine, as `localhost` and the loopback addresses are. */
export function isOnThisMachine(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return hostname === '[::1]' || /^127\.|^0\.0\.0\.0$|^localhost$|\.localhost$/.test(hostname);
}

/** The address as it was asked: `localhost` is both of its addresses. */
export function askedAddress(baseUrl: string): string {
  return /^https?:\/\/localhost(?=[:/]|$)/.test(baseUrl) ? `${baseUrl} (127.0.0.1, ::1)` : baseUrl;
}
