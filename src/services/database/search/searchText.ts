import type { MessageRecord } from '../../../types/session';
import { parsedJson } from '../../../utils/json';

/** Defines which text is searched and how it is split into words. See docs/storage/search.md. */

/** Start (inclusive) and end (exclusive), in UTF-16 code units. */
export type TextRange = [number, number];

export interface MatchedText {
  text: string;
  marks: TextRange[];
}

export type SearchedRow = Pick<
  MessageRecord,
  'seq' | 'revision' | 'type' | 'content' | 'data' | 'tool_name' | 'tool_input' | 'tool_output'
>;

export const searchedColumns = 'seq, revision, type, content, data, tool_name, tool_input, tool_output';

/** Searchable texts of an entry, by search field. */
export interface SearchedFields {
  text: string;
  tool: string;
  file: string;
}

export function splitFields(row: SearchedRow): SearchedFields {
  return { text: joinSearchText(row), tool: row.tool_name ?? '', file: listFiles(row).join('\n') };
}

/** Joins the searchable parts of an entry, one per line. */
function joinSearchText(row: SearchedRow): string {
  return listParts(row)
    .filter((part) => part !== '')
    .join('\n');
}

/** Returns true for entries of the user or the model, which rank higher than tool output. */
export function isConversation(type: string): boolean {
  return type === 'user_input' || type === 'assistant_output';
}

/** Scripts without spaces between words, and Hangul, whose words include particles. Each of their characters counts as a word. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/gu;
/** Regular expression for a possible start of a word. It does not match inside a word of a script with spaces. */
const inWord = `(?!${unspaced.source})[\\p{L}\\p{N}]`;
export const wordStart = `(?:(?<!${inWord})|(?!${inWord}))`;
const separator = '\x1f';
const open = '\x01';
const close = '\x02';
export const markers = { open, close };

/** Returns `text` in its indexed form, with separators around each character of a script without spaces. `marked` removes them. */
export function separated(text: string): string {
  return text.replace(/[\x01\x02\x1f]/g, ' ').replace(unspaced, `${separator}$&${separator}`);
}

/** Converts separated text with `markers` around matches to the original text and its marks. */
export function marked(highlighted: string): MatchedText {
  const marks: TextRange[] = [];
  const kept: string[] = [];
  let length = 0;
  let start = 0;

  for (const part of highlighted.split(/([\x01\x02\x1f])/)) {
    if (part === open) start = length;
    else if (part === close) marks.push([start, length]);
    else if (part !== separator) {
      kept.push(part);
      length += part.length;
    }
  }
  return { text: kept.join(''), marks };
}

function listParts(row: SearchedRow): string[] {
  switch (row.type) {
    case 'user_input':
      return [row.content, ...collectStrings(field(row.data, 'attachments'))];
    case 'tool_call':
      return collectStrings(parsedJson(row.tool_input));
    case 'tool_result':
      return [row.content, row.tool_output ?? ''];
    case 'file_edit':
      return [field(row.data, 'path'), field(row.data, 'newPath'), field(row.data, 'diff')].flatMap(collectStrings);
    case 'approval':
    case 'run_end':
    case 'system_message':
      return [];
    default:
      return [row.content];
  }
}

/** Returns the paths of an entry: attachments, tool arguments and changed files. */
function listFiles(row: SearchedRow): string[] {
  const values =
    row.type === 'user_input'
      ? [field(row.data, 'attachments')].flat().map((item) => named(item, 'path'))
      : row.type === 'tool_call'
        ? ['path', 'newPath', 'file', 'cwd'].map((name) => field(row.tool_input, name))
        : row.type === 'file_edit'
          ? ['path', 'newPath'].map((name) => field(row.data, name))
          : [];
  return values.filter((value) => typeof value === 'string');
}

/** Collects the strings in a JSON value. Skips property names and numbers, because users do not search for them. */
function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectStrings) : [];
}

function field(json: string | null, name: string): unknown {
  return named(parsedJson(json), name);
}

function named(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
