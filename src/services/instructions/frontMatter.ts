import { isRecord } from '../../utils/json';
import { splitGlobs } from '../../utils/text/globs';

/** Text with the YAML fields before it, enclosed in `---` lines. */
export interface FrontMatter {
  /** Values as text. List items are joined by commas. */
  fields: Readonly<Record<string, string>>;
  /** Fields that are lists of objects, such as `handoffs`. */
  lists: Readonly<Record<string, Readonly<Record<string, string>>[]>>;
  body: string;
}

const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;
type Parse = (source: string) => unknown;

/**
 * Reads the front matter as YAML, with all values as text. Many files are not valid YAML, such as `applyTo: **\/*.ts` without quotes. Then
 * each field is parsed separately, and a line that is not valid YAML is used as written. Unreadable fields are left out.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const found = /^\uFEFF?---/.test(text) ? block.exec(text) : null;
  if (found === null) return { fields: {}, lists: {}, body: text };
  // Loads the parser on demand, because most workspaces have no front matter.
  const { parse } = await import(/* webpackChunkName: "yaml" */ 'yaml');
  // Strings only, so that dates and versions stay as written.
  const read: Parse = (source) => parse(source, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' });
  const values = Object.entries(valuesOf((found[1] ?? '').replaceAll('\r\n', '\n'), read));
  const fields = values.flatMap(([name, value]) => textOf(value).map((words) => [name, words] as const));
  const lists = values.flatMap(([name, value]) => {
    const items = Array.isArray(value) ? value.filter(isRecord) : [];
    return items.length === 0 ? [] : [[name, items.map(textFieldsOf)] as const];
  });
  return { fields: Object.fromEntries(fields), lists: Object.fromEntries(lists), body: text.slice(found[0].length) };
}

function valuesOf(source: string, read: Parse): Readonly<Record<string, unknown>> {
  try {
    const whole = read(source);
    if (isRecord(whole)) return whole;
  } catch {
    // Not valid YAML as a whole.
  }
  // A field starts at the beginning of a line and ends before the next field.
  const parts = source.split(/^(?=[A-Za-z][\w-]*[ \t]*:)/m);
  return Object.fromEntries(parts.flatMap((part) => Object.entries(fieldOf(part, read))));
}

function fieldOf(part: string, read: Parse): Readonly<Record<string, unknown>> {
  try {
    const field = read(part);
    return isRecord(field) ? field : {};
  } catch {
    const [, name, written] = /^([A-Za-z][\w-]*)[ \t]*:[ \t]+(\S[^\n]*)\n*$/.exec(part) ?? [];
    if (name === undefined || written === undefined) return {};
    const value = written.replace(/\s+#.*$/, '').trim();
    const isList = value.startsWith('[') && value.endsWith(']');
    return { [name]: isList ? splitGlobs(value.slice(1, -1)).map(unquoted) : unquoted(value) };
  }
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

function unquoted(value: string): string {
  const trimmed = value.trim();
  return /^(["']).*\1$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
