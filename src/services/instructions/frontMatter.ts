import { isRecord } from '../../utils/json';
import { lenientField, partsOf } from './lenientField';

/** Text with the YAML fields before it, enclosed in `---` lines. */
export interface FrontMatter {
  /** Values as text. List items are joined by commas. */
  fields: Readonly<Record<string, string>>;
  /** Fields that are lists of objects, such as `handoffs`. */
  lists: Readonly<Record<string, Readonly<Record<string, string>>[]>>;
  body: string;
  /** False if a part could not be read, or if the line that ends the front matter is missing. */
  isComplete: boolean;
}

const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;
/** Front matter without its last line. */
const unclosed = /^\uFEFF?---[ \t]*\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[\w-]+[ \t]*:/;
type Parse = (source: string) => unknown;

/**
 * Reads the front matter as YAML, with all values as text. Many files are not valid YAML, such as `applyTo: **\/*.ts` without quotes. Then
 * each field is parsed separately, and a field that is not valid YAML is used as written. Unreadable parts are left out.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const found = /^\uFEFF?---/.test(text) ? block.exec(text) : null;
  if (found === null) return { fields: {}, lists: {}, body: text, isComplete: !unclosed.test(text) };
  // Loads the parser on demand, because most workspaces have no front matter.
  const { parse } = await import(/* webpackChunkName: "yaml" */ 'yaml');
  // Strings only, so that dates and versions stay as written.
  const read: Parse = (source) => parse(source, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' });
  const { values: all, isComplete } = valuesOf((found[1] ?? '').replaceAll('\r\n', '\n'), read);
  const values = Object.entries(all);
  const fields = values.flatMap(([name, value]) => textOf(value).map((words) => [name, words] as const));
  const lists = values.flatMap(([name, value]) => {
    const items = Array.isArray(value) ? value.filter(isRecord) : [];
    return items.length === 0 ? [] : [[name, items.map(textFieldsOf)] as const];
  });
  return { fields: Object.fromEntries(fields), lists: Object.fromEntries(lists), body: text.slice(found[0].length), isComplete };
}

function valuesOf(source: string, read: Parse): { values: Readonly<Record<string, unknown>>; isComplete: boolean } {
  try {
    const whole = read(source);
    if (isRecord(whole)) return { values: whole, isComplete: true };
  } catch {
    // Not valid YAML as a whole.
  }
  const parts = partsOf(source).map((part) => lenientField(part, read));
  return {
    values: Object.fromEntries(parts.flatMap((field) => Object.entries(field ?? {}))),
    isComplete: parts.every((field) => field !== null),
  };
}

function textFieldsOf(record: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).flatMap(([name, value]) => textOf(value).map((text) => [name, text])));
}

/** Returns a value as text in a list; an empty list if it has no text form. */
function textOf(value: unknown): string[] {
  if (value === null) return [''];
  if (typeof value === 'string') return [value.trim()];
  if (!Array.isArray(value)) return [];
  const items = value.filter((item) => typeof item === 'string').map((item) => item.trim());
  return [items.filter((item) => item !== '').join(',')];
}
