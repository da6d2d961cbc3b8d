import { parsedJson } from '../../../utils/json';

/** Reads a list in the forms that models write: a list, JSON in a string, or one item per line. */
export function listOf(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value as unknown[];
  if (typeof value === 'object' && value !== null) {
    const inner: unknown[] = Object.values(value).filter(Array.isArray);
    return inner.length === 1 && Object.keys(value).length === 1 ? (inner[0] as unknown[]) : null;
  }
  if (typeof value !== 'string') return null;
  const parsed = parsedJson(value);
  if (typeof parsed === 'object' && parsed !== null) return listOf(parsed);
  const lines = value.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 ? lines : null;
}

/** Returns the first of these properties that is a string. */
export function textIn(value: unknown, names: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = names.map((name) => (value as Record<string, unknown>)[name]).find((one) => typeof one === 'string');
  return typeof found === 'string' ? found : undefined;
}
