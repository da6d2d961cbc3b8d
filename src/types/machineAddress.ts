/** Addresses that a server binds to but nobody can dial everywhere; `OLLAMA_HOST` often carries them. */
export const bindOnly: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** Tells whether a base URL names this machine; false for a text that is no address. */
export function isOnThisMachine(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return bindOnly.has(hostname) || hostname === '[::1]' || /^127\.|^localhost$|\.localhost$/.test(hostname);
}
