import { isRecord } from '../../utils/json';
import { splitGlobs } from '../../utils/text/globs';

type Parse = (source: string) => unknown;
type Field = Readonly<Record<string, unknown>>;

/** Matches a name at the beginning of a line, as in `name: …`, but not a web address. */
const fieldStart = /^(?=[A-Za-z][\w-]*[ \t]*:(?!\/\/))/m;
/** Matches a value that needs no quotes, or whose meaning quotes would change. */
const quotedOrNested = /^(?:["'[{|>#]|$)/;

/** Splits front matter into fields. A field starts at the beginning of a line and ends before the next field. */
export function splitFrontMatter(source: string): string[] {
  const indent = /^ +(?=[A-Za-z])/.exec(source)?.[0] ?? '';
  const lines = source.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  return lines.join('\n').split(fieldStart);
}

/**
 * Reads one field that may not be valid YAML. Returns an empty record
 * for comments and empty lines. Returns null if the field is unreadable.
 */
export function lenientField(part: string, read: Parse): Field | null {
  if (part.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return {};
  const spaced = part.replace(/^[ \t]+/gm, (indent) => indent.replaceAll('\t', '  '));
  for (const source of [part, spaced, quoted(spaced)]) {
    try {
      const field = read(source);
      if (isRecord(field)) return field;
    } catch {
      // The field is not valid YAML.
    }
  }
  return asWritten(part);
}

/** Puts quotes around the values of fields in a list, such as `- label: Fix: now`. Leaves block texts unchanged. */
function quoted(part: string): string {
  /** Indentation of the field that contains the current block of text. Null outside such a block. */
  let textIndent: number | null = null;
  const lines = part.split('\n').map((line) => {
    const indent = line.length - line.trimStart().length;
    if (textIndent !== null && (indent > textIndent || line.trim() === '')) return line;
    textIndent = null;
    const [, name = '', value = ''] = /^([ -]*[\w-]+:[ \t]+)(\S.*)$/.exec(line) ?? [];
    if (/^[|>]/.test(value)) textIndent = indent;
    return name === '' || quotedOrNested.test(value) ? line : `${name}'${withoutComment(value).replaceAll("'", "''")}'`;
  });
  return lines.join('\n');
}

/** Reads a field as a single text with joined lines, or as a list of texts. */
function asWritten(part: string): Field | null {
  const [, name, text] = /^([A-Za-z][\w-]*)[ \t]*:([^]*)$/.exec(part) ?? [];
  if (name === undefined || text === undefined) return null;
  const [style = '', ...rest] = text.split('\n').map((line) => line.trim());
  if (/^[|>][-+\d]*$/.test(style)) return { [name]: rest.join(style.startsWith('|') ? '\n' : ' ') };
  const lines = [style, ...rest].map(withoutComment).filter((line) => line !== '');
  if (lines.length > 0 && lines.every((line) => /^-\s/.test(line)))
    return { [name]: lines.map((line) => unquoted(line.slice(1))) };
  const value = lines.join(' ');
  const isList = value.startsWith('[') && value.endsWith(']');
  return { [name]: isList ? splitGlobs(value.slice(1, -1)).map(unquoted) : unquoted(value) };
}

function withoutComment(line: string): string {
  return line.replace(/(?:^|\s+)#.*$/, '').trim();
}

function unquoted(value: string): string {
  const trimmed = value.trim();
  return /^(["']).*\1$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
