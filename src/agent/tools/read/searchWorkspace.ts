import { join } from 'node:path';
import { z } from 'zod';
import {
  maxFileBytes,
  maxMatchesPerFile,
  maxSearchMs,
  SearchError,
  type TextMatch,
  type TextMatches,
  type TextSearcher,
} from '../../../services/search/textQuery';
import { formatInEnglish } from '../../../types/format';
import { translatable } from '../../../types/texts';
import { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import { globMatcher, splitGlobs } from '../../../utils/text/globs';
import { holdsKey } from '../../../utils/sensitivity/keyShapes';
import { t } from '../../../utils/l10n';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';
import type { FileAccess } from '../../approvals/fileAccess';
import { composedName } from '../../../utils/files/foldedName';
import { hasKeyInText } from '../../approvals/keyScan';
import { withClosedNotes } from './closedNotes';
import { identify } from '../../../services/files/verifiedOpen';
import type { WorkspaceRoot } from '../../../services/files/workspacePaths';

const maxShown = 100;
const maxShownPerFile = 20;
/** Minimum length of a line in bytes for which a note states its length, and the maximum number of these notes. */
const longLine = 10_000;
const maxLongLines = 3;
/** Matches negated classes. `[^\n]` does not make a search multiline. */
const negatedClasses = /\[\^(?:\\.|[^\]\\])*\]/g;

const schema = z.object({
  query: z.string().min(1).describe('The text to look for, in one line; capitals count only if it has any'),
  isRegex: z.boolean().optional().describe('Whether query is a regular expression'),
  include: z.string().optional().describe('Only in these files: a glob such as src/**/*.ts, or a folder'),
});

/** Searches in files. Skips ignored, sensitive, binary and very large files. */
export function searchWorkspaceTool(access: Pick<FileAccess, 'paths' | 'patterns'>, searcher: TextSearcher): Tool {
  return defineTool({
    name: 'search_workspace',
    otherNames: ['grep', 'grepsearch', 'searchfiles', 'ripgrep'],
    description: `Search for text in the files of the workspace and get the lines with their numbers, at most ${maxShown}. Ignored files and files with secrets are left out.`,
    schema,
    aliases: {
      text: 'query',
      pattern: 'query',
      search: 'query',
      searchTerm: 'query',
      term: 'query',
      string: 'query',
      q: 'query',
      regex: 'isRegex',
      isRegexp: 'isRegex',
      useRegex: 'isRegex',
      includePattern: 'include',
      glob: 'include',
      filePattern: 'include',
      files: 'include',
      path: 'include',
      folder: 'include',
      directory: 'include',
    },
    effect: 'none',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Searched for {0}',
        running: 'Searching for {0}',
        planned: 'Search for {0}',
        failed: 'Could not search for {0}',
        stopped: 'Did not search for {0}',
      }),
    },
    modes: 'every',
    label: ({ query }) => `“${query}”`,
    run: async ({ query, isRegex = false, include }, { sessionId, signal }) => {
      const said = isRegex ? query.replace(negatedClasses, '') : '';
      if (/[\r\n]/.test(query) || /(?<!\\)(?:\\\\)*\\n/.test(said))
        return failure({
          local: t('The search text has several lines, but only single lines can be searched for.'),
          english: 'The query has several lines. Search for one line at a time.',
        });
      if (/(?<!\\)(?:\\\\)*\\r/.test(said))
        return failure({
          local: t('The search text contains a line ending, but only single lines can be searched for.'),
          english: 'Lines are searched without their ends. Leave \\r out of the query.',
        });
      // An invalid glob is reported before the search starts.
      for (const pattern of splitGlobs(include ?? '')) globMatcher(pattern);
      const all: TextMatch[] = [];
      let cut: TextMatches['cut'] = null;
      const roots = await access.paths.roots();
      const sensitive = await access.patterns(sessionId);
      const freed = new FileSensitivity(...sensitive);
      for (const root of roots) {
        const inside = includeFor(root, include, roots);
        if (inside === null) continue;
        try {
          const { real: folder, prefix } = root;
          const found = await searcher.search({ folder, text: query, isRegex, include: inside, sensitive, prefix }, signal);
          const isFree = (path: string): boolean => freed.isExemptByUser(path) || freed.isExemptByUser(`${prefix}${path}`);
          const matches = await withoutKeys(found.matches, folder, isFree, signal);
          all.push(...matches.map((match) => ({ ...match, path: `${root.prefix}${match.path}` })));
          cut ??= found.cut;
        } catch (error) {
          if (!(error instanceof SearchError) || error.code !== 'pattern') throw error;
          return failure({
            local: error.userMessage,
            english: `${query} is not a valid regular expression: ${error.modelMessage}. Search with isRegex false for plain text.`,
          });
        }
      }
      return withClosedNotes(describe(all, query, cut), roots);
    },
  });
}

/**
 * Removes matches in files that contain text that looks like a key. The result does not
 * mention these files. Otherwise the model could reconstruct their text through repeated searches.
 */
async function withoutKeys(
  matches: readonly TextMatch[],
  folder: string,
  isFree: (path: string) => boolean,
  signal: AbortSignal,
): Promise<TextMatch[]> {
  const isLeftOut = new Map<string, boolean>();
  for (const { path } of matches) {
    if (isLeftOut.has(path)) continue;
    signal.throwIfAborted();
    const file = join(folder, path);
    isLeftOut.set(path, !isFree(path) && (await hasKeyInText(file, await identify(file), signal)));
  }
  return matches.filter(({ path, text }) => isLeftOut.get(path) !== true && (isFree(path) || !holdsKey(text)));
}

/**
 * Returns the patterns for one folder, or null if all patterns are for other folders. A pattern
 * may be an absolute path. In a multi-root workspace, it may also begin with a folder name.
 */
function includeFor(
  root: WorkspaceRoot,
  include: string | undefined,
  roots: readonly WorkspaceRoot[],
): string | null | undefined {
  if (include === undefined) return undefined;
  const patterns = splitGlobs(include).filter((pattern) => pattern.trim() !== '');
  if (patterns.length === 0) return undefined;
  const inside = patterns.flatMap((pattern) => {
    const plain = `${composedName(pattern)
      .trim()
      .replaceAll('\\', '/')
      .replace(/^\.\/|\/$/g, '')}/`;
    const own = listPrefixes(root).find((place) => plain.startsWith(place));
    if (own !== undefined) return [plain.slice(own.length, -1)];
    return roots.some((other) => listPrefixes(other).some((place) => plain.startsWith(place))) ? [] : [pattern.trim()];
  });
  if (inside.length === 0) return null;
  return inside.includes('') ? undefined : inside.join(',');
}

/** Returns the path prefixes that refer to a folder, each with a trailing `/`. */
function listPrefixes({ real, prefix }: WorkspaceRoot): string[] {
  const absolute = composedName(`${real.replaceAll('\\', '/')}/`);
  return prefix === '' ? [absolute] : [absolute, composedName(prefix)];
}

const leftOutNote = `[Not searched: files that git ignores, that may hold secrets, that are no text or larger than ${maxFileBytes / 1024 / 1024} MB. Read such a file with read_file.]`;

function describe(matches: TextMatch[], query: string, cut: TextMatches['cut']): ToolResult {
  matches.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  const files = new Map<string, TextMatch[]>();
  for (const match of matches) files.set(match.path, [...(files.get(match.path) ?? []), match]);
  const timeNote = `[The search was stopped after ${maxSearchMs / 1000} s; there may be more. Search in fewer files with include.]`;
  if (matches.length === 0) {
    const content = `Nothing found for ${query}.\n${leftOutNote}`;
    return { status: 'success', content: cut === 'time' ? `${content}\n${timeNote}` : content, summary: t('nothing found') };
  }
  const lines: string[] = [];
  const long: TextMatch[] = [];
  let shown = 0;
  for (const [path, found] of files) {
    const here = found.slice(0, Math.min(maxShownPerFile, maxShown - shown));
    shown += here.length;
    lines.push(...here.map(({ line, text }) => `${path}:${line}: ${text}`));
    long.push(...here.filter(({ lineBytes = 0 }) => lineBytes >= longLine));
    const more = `${found.length < maxMatchesPerFile ? '' : 'At least '}${found.length - here.length} more lines`;
    if (here.length < found.length && here.length > 0) lines.push(`[${more} in ${path}]`);
  }
  const isCut = cut !== null || [...files.values()].some(({ length }) => length >= maxMatchesPerFile);
  if (shown < matches.length || cut === 'count') {
    const of = `${matches.length}${isCut ? ' or more' : ''}`;
    lines.push(`[${shown} of ${of} lines are shown. Use a longer query, or search in fewer files with include.]`);
  }
  for (const { path, line, lineBytes = 0 } of long.slice(0, maxLongLines))
    lines.push(`[Line ${line} of ${path} is ${formatInEnglish(lineBytes)} bytes long; only the part around the match is shown.]`);
  if (cut === 'time') lines.push(timeNote);
  return { status: 'success', content: lines.join('\n'), summary: summarize(matches.length, files.size, isCut) };
}

function summarize(lines: number, files: number, isCut: boolean): string {
  if (isCut) return t('{0}+ lines in {1}+ files', lines, files);
  if (lines === 1) return t('1 line in 1 file');
  return files === 1 ? t('{0} lines in 1 file', lines) : t('{0} lines in {1} files', lines, files);
}
