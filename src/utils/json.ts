/** Parses JSON; undefined where a text is none, or where there is no text. */
export function parsedJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Tells whether a value has names: an object that is no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON with names; undefined for any other text. */
export function parsedRecord(text: unknown): Record<string, unknown> | undefined {
  const value = parsedJson(text);
  return isRecord(value) ? value : undefined;
}
