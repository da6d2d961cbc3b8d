import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../utils/errors';
import { readableText } from '../../utils/text/textFile';
import { listForms } from './composedText';
import {
  fileFilter,
  ignoresCase,
  maxFileBytes,
  maxMatches,
  maxMatchesPerFile,
  maxSearchMs,
  SearchError,
  shownLine,
  type TextMatch,
  type TextMatches,
  type TextQuery,
} from './textQuery';
import { walkFolder } from './workspaceWalk';

/**
 * Searches in the same way as ripgrep, but without the binary. Run it only in a
 * thread that can be terminated, because a regular expression may never finish.
 */
export async function searchWithoutRipgrep(query: TextQuery): Promise<TextMatches> {
  const find = finder(query);
  const isWanted = fileFilter(query);
  const until = Date.now() + maxSearchMs;
  const matches: TextMatch[] = [];
  const walk = walkFolder(query.folder, { root: query.folder, isRecursive: true, signal: new AbortController().signal });
  for await (const entries of walk) {
    for (const { path, kind, isIgnored } of entries) {
      if (kind !== 'file' || isIgnored || !isWanted(path)) continue;
      matches.push(...matchesIn(await readTextFile(join(query.folder, path)), path, find));
      if (matches.length >= maxMatches) return { matches: matches.slice(0, maxMatches), cut: 'count' };
      if (Date.now() > until) return { matches, cut: 'time' };
    }
  }
  return { matches, cut: null };
}

/** Returns a function that finds the column of the first match in a line, or -1. */
function finder(query: TextQuery): (line: string) => number {
  const isAnyCase = ignoresCase(query);
  const forms = listForms(query);
  const indexIn = (line: string): number =>
    forms.reduce((first, text) => {
      const at = line.indexOf(text);
      return at < 0 || (first >= 0 && first < at) ? first : at;
    }, -1);
  if (!query.isRegex) return isAnyCase ? (line) => indexIn(line.toLowerCase()) : indexIn;
  const pattern = expression(forms.join('|'), isAnyCase);
  return (line) => pattern.exec(line)?.index ?? -1;
}

/**
 * Compiles a regular expression in ripgrep syntax. Supports a leading `(?i)`, `(?P<name>`, and unnecessary escapes such as `\"`.
 */
function expression(text: string, isAnyCase: boolean): RegExp {
  const source = text.replace(/^\(\?i\)/, '').replaceAll('(?P<', '(?<');
  // A dot matches every character of a line, including U+2028. This is the behavior of ripgrep.
  const flags = isAnyCase || text.startsWith('(?i)') ? 'is' : 's';
  try {
    return new RegExp(source, `${flags}u`);
  } catch (strict) {
    try {
      return new RegExp(source, flags);
    } catch {
      throw new SearchError('pattern', messageOf(strict));
    }
  }
}

function matchesIn(content: string, path: string, find: (line: string) => number): TextMatch[] {
  const matches: TextMatch[] = [];
  for (const [index, line] of content.split('\n').entries()) {
    const start = find(line.replace(/\r$/, ''));
    if (start < 0) continue;
    matches.push({ path, line: index + 1, ...shownLine(line, start) });
    if (matches.length === maxMatchesPerFile) break;
  }
  return matches;
}

/** Reads a text file. Returns an empty string if the file is binary, too large or unreadable. */
async function readTextFile(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > maxFileBytes) return '';
    return readableText(await readFile(file)) ?? '';
  } catch {
    return '';
  }
}
