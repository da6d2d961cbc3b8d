const escapes: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Returns JSON as Go's encoder writes it, without spaces and with `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);
}

/** Quotes a string like Go's `%q` verb. */
export function goQuote(text: string): string {
  return JSON.stringify(text);
}

/** Returns RFC 3339 in UTC with Go's trimmed fraction: `2026-01-02T03:04:05.6Z`. */
export function goTime(date: Date): string {
  return date.toISOString().replace(/\.?0*Z$/, 'Z');
}

/** Returns RFC 3339 with an offset, as in `modified_at` and `expires_at` on a machine that does not use UTC. */
export function goOffsetTime(date: Date): string {
  const twoHours = 2 * 3_600_000;
  return goTime(new Date(date.getTime() + twoHours)).replace(/Z$/, '+02:00');
}

/** Removes the fields that Go's `omitempty` removes: undefined, empty strings, zeros, false and empty arrays. */
export function omitEmpty<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => !isEmpty(field))) as Partial<T>;
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}
