/** Parses JSON. Returns undefined if the value is not valid JSON text. */
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

/** Parses a JSON object. Returns undefined for any other value. */
export function parsedRecord(text: unknown): Record<string, unknown> | undefined {
  const value = parsedJson(text);
  return isRecord(value) ? value : undefined;
}

/** Parses the JSON object at the start of a text. Other text can follow. `end` is the position after the object. */
export function leadingRecord(text: string): { value: Record<string, unknown>; end: number } | undefined {
  const end = text.startsWith('{') ? endOfObject(text) : -1;
  const value = end < 0 ? undefined : parsedRecord(text.slice(0, end));
  return value && { value, end };
}

function endOfObject(text: string): number {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (isInString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isInString = false;
    } else if (sign === '"') isInString = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}' && (depth -= 1) === 0) return at + 1;
  }
  return -1;
}
