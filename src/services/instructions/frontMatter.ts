import { isRecord } from '../../utils/json';
import { splitGlobs } from '../../utils/text/globs';

/** A text with the fields that stand before it between two lines of `---`. */
export interface FrontMatter {
  /** Values as texts; of a list, its items joined by commas. */
  fields: Readonly<Record<string, string>>;
  /** Lists of fields, as `handoffs` is one. */
  lists: Readonly<Record<string, Readonly<Record<string, string>>[]>>;
  body: string;
}

const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;
type Parse = (source: string) => unknown;

/**
 * Reads the front matter of a text as YAML, every value as a text. People write what is no YAML, as `applyTo: **\/*.ts` without quotes: then each
 * field is read by itself, and a line that is none still counts as it stands. What cannot be read at all is left out.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const found = /^\uFEFF?---/.test(text) ? block.exec(text) : null;
  if (found === null) return { fields: {}, lists: {}, body: text };
  // Most workspaces have no front matter at all: the parser is loaded with the first.
  const { parse } = await import(/* webpackChunkName: "yaml" */ 'yaml');
  // Texts alone, so that a date or a version stays as it is written.
  const read: Parse = (source) => parse(source, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' });
  const values = Object.entries(valuesOf((found[1] ?? '').replaceAll('\r\n', '\n'), read));
  const fields = values.flatMap(([name, value]) => textOf(value).map((words) => [name, words] as const));
  const lists = values.flatMap(([name, value]) => {
    const items = Array.isArray(value) ? value.filter(isRecord) : [];
    return items.length === 0 ? [] : [[name, items.map(textsOf)] as const];
  });
  return { fields: Object.fromEntries(fields), lists: Object.fromEntries(lists), body: text.slice(found[0].length) };
}

function valuesOf(source: string, read: Parse): Readonly<Record<string, unknown>> {
  try {
    const whole = read(source);
    if (isRecord(whole)) return whole;
  } catch {
    // Not YAML as a whole.
  }
  // A field begins at the start of a line and goes on to where the next begins.
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

function textsOf(record: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).flatMap(([name, value]) => textOf(value).map((text) => [name, text])));
}

/** Returns a value in words; nothing for what has none. */
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
