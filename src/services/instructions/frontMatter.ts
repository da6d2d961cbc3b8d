/** A text with the fields that stand before it between two lines of `---`. */
export interface FrontMatter {
  /** Values as they are written, without quotes; of a list, its items joined by commas. */
  fields: Readonly<Record<string, string>>;
  /** Lists of fields, as `handoffs` is one: an item begins with `-`. */
  lists: Readonly<Record<string, Readonly<Record<string, string>>[]>>;
  body: string;
}

const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;

/** Reads the plain fields of a front matter: `name: value`, and lists. What is not plain is left out. */
export function readFrontMatter(text: string): FrontMatter {
  const found = /^\uFEFF?---/.test(text) ? block.exec(text) : null;
  if (found === null) return { fields: {}, lists: {}, body: text };
  const fields: Record<string, string> = {};
  const lists: Record<string, Record<string, string>[]> = {};
  let last: string | null = null;
  for (const line of (found[1] ?? '').split(/\r?\n/)) {
    const item = /^\s*-\s+(.*)$/.exec(line)?.[1];
    const inner = /^(?:\s*-)?\s+([A-Za-z][\w-]*)\s*:\s*(.*)$/.exec(line);
    if (inner?.[1] !== undefined && last !== null && (item !== undefined || lists[last] !== undefined)) {
      const list = (lists[last] ??= []);
      if (item !== undefined) list.push({});
      const entry = list.at(-1);
      if (entry !== undefined) entry[inner[1]] = unquoted(inner[2] ?? '');
      continue;
    }
    if (item !== undefined && last !== null) {
      fields[last] = [fields[last], unquoted(item)].filter((value) => value !== '').join(',');
      continue;
    }
    const field = /^([A-Za-z][\w-]*)\s*:\s*(.*)$/.exec(line);
    if (field?.[1] === undefined) continue;
    last = field[1];
    const value = (field[2] ?? '').trim();
    fields[last] = value.startsWith('[') && value.endsWith(']') ? listOf(value) : unquoted(value);
  }
  return { fields, lists, body: text.slice(found[0].length) };
}

function listOf(value: string): string {
  const items = value.slice(1, -1).split(',');
  return items
    .map((item) => unquoted(item.trim()))
    .filter((item) => item !== '')
    .join(',');
}

function unquoted(value: string): string {
  const trimmed = value.trim();
  return /^(["']).*\1$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
