import { isRecord } from '../../../utils/json';
import { readLooseJson } from '../../stream/looseJson';

/** Reads a list in the forms that models write: an array, a JSON string, or one item per line. Items may also be JSON strings. */
export function readList(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return (value as unknown[]).map(readItem);
  if (isRecord(value)) {
    const inner: unknown[] = Object.values(value).filter(Array.isArray);
    return inner.length === 1 && Object.keys(value).length === 1 ? readList(inner[0]) : null;
  }
  if (typeof value !== 'string') return null;
  const parsed = jsonIn(value);
  if (parsed !== undefined) return readList(parsed);
  const lines = value.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 ? readList(lines) : null;
}

function readItem(item: unknown): unknown {
  const read = typeof item === 'string' ? jsonIn(item) : undefined;
  return isRecord(read) ? read : item;
}

function jsonIn(text: string): unknown {
  const read = /^\s*[[{]/.test(text) ? readLooseJson(text) : null;
  return read?.isValid === true ? read.value : undefined;
}

/** Returns the first of the named properties that is a string. */
export function readItemText(value: unknown, names: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = names.map((name) => (value as Record<string, unknown>)[name]).find((one) => typeof one === 'string');
  return typeof found === 'string' ? found : undefined;
}
