/** Parses JSON; undefined if the value is not valid JSON text. */
export function parsedJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON object; undefined for any other value. */
export function parsedRecord(text: unknown): Record<string, unknown> | undefined {
  const value = parsedJson(text);
  return isRecord(value) ? value : undefined;
}
