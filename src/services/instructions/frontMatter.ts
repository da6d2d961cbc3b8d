import { isRecord } from '../../utils/json';
import { lenientField, splitFrontMatter } from './lenientField';

/** Front matter of a text: YAML fields between two `---` lines at the top. */
export interface FrontMatter {
  /** Values as text. List items are joined by commas. */
  fields: Readonly<Record<string, string>>;
  /** Fields whose values are lists of objects, such as `handoffs`. */
  lists: Readonly<Record<string, Readonly<Record<string, string>>[]>>;
  body: string;
  /** False if a part could not be read, or if the closing line of the front matter is missing. */
  isComplete: boolean;
}

const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;
/** Matches front matter without its closing line. */
const unclosed = /^\uFEFF?---[ \t]*\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[\w-]+[ \t]*:/;
type Parse = (source: string) => unknown;

/**
 * Reads the front matter as YAML. All values become text. Many files are not valid YAML, for
 * example because of `applyTo: **\/*.ts` without quotes. In this case, each field is parsed
 * separately. A field that is not valid YAML is used as written. Unreadable parts are omitted.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const found = /^\uFEFF?---/.test(text) ? block.exec(text) : null;
  if (found === null) return { fields: {}, lists: {}, body: text, isComplete: !unclosed.test(text) };
  // Load the parser on demand, because most workspaces have no front matter.
  const { parse } = await import(/* webpackChunkName: "yaml" */ 'yaml');
  // Read all values as strings, so that dates and versions do not change.
  const read: Parse = (source) => parse(source, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' });
  const { values: all, isComplete } = parseValues((found[1] ?? '').replaceAll('\r\n', '\n'), read);
  const values = Object.entries(all);
  const fields = values.flatMap(([name, value]) => readTexts(value).map((words) => [name, words] as const));
  const lists = values.flatMap(([name, value]) => {
    const items = Array.isArray(value) ? value.filter(isRecord) : [];
    return items.length === 0 ? [] : [[name, items.map(readTextFields)] as const];
  });
  return { fields: Object.fromEntries(fields), lists: Object.fromEntries(lists), body: text.slice(found[0].length), isComplete };
}

function parseValues(source: string, read: Parse): { values: Readonly<Record<string, unknown>>; isComplete: boolean } {
  try {
    const whole = read(source);
    if (isRecord(whole)) return { values: whole, isComplete: true };
  } catch {
    // The text as a whole is not valid YAML.
  }
  const parts = splitFrontMatter(source).map((part) => lenientField(part, read));
  return {
    values: Object.fromEntries(parts.flatMap((field) => Object.entries(field ?? {}))),
    isComplete: parts.every((field) => field !== null),
  };
}

function readTextFields(record: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).flatMap(([name, value]) => readTexts(value).map((text) => [name, text])));
}

/** Returns the texts of a value as a list. Returns an empty list if the value has no text form. */
function readTexts(value: unknown): string[] {
  if (value === null) return [''];
  if (typeof value === 'string') return [value.trim()];
  if (!Array.isArray(value)) return [];
  const items = value.filter((item) => typeof item === 'string').map((item) => item.trim());
  return [items.filter((item) => item !== '').join(',')];
}
