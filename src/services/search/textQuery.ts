import { FileSensitivity, type SensitivityPatterns } from '../../utils/sensitivity/fileSensitivity';
import { expandBraces, globMatcher, splitGlobs } from '../../utils/text/globs';
import { composedName } from '../../utils/files/foldedName';
import { cutMiddle } from '../../types/cutText';
import { AppError } from '../../utils/errors';
import { t } from '../../utils/l10n';
import { isTemporaryName } from '../../utils/files/temporaryName';

/** Search in the files of one folder. Contains only data that can be sent to a worker. */
export interface TextQuery {
  /** Real path of a workspace folder. */
  folder: string;
  text: string;
  isRegex: boolean;
  /** Comma-separated globs, files or folders inside `folder`. All files if undefined. */
  include?: string | undefined;
  /** The user's patterns for sensitive files. Later patterns take precedence. */
  sensitive?: readonly SensitivityPatterns[];
  /** Prefix of paths in a multi-root workspace. Patterns may contain the prefix or omit it. */
  prefix?: string;
}

export interface TextMatch {
  /** Path relative to the folder, with `/`. */
  path: string;
  line: number;
  /** Text of the line, truncated around the match. */
  text: string;
  /** Length of the whole line in UTF-8 bytes, if `text` is only a part of it. */
  lineBytes?: number;
}

export interface TextMatches {
  matches: TextMatch[];
  /** Limit that ended the search early: number of matches or time. Null if the search is complete. */
  cut: 'count' | 'time' | null;
}

/** Searches the text of files in a folder. Skips ignored, sensitive, binary and large files. Does not follow links. */
export interface TextSearcher {
  /** Rejects with `SearchError` for an invalid pattern, and with `CancelledError` on abort. */
  search(query: TextQuery, signal: AbortSignal): Promise<TextMatches>;
}

export const maxMatches = 1000;
export const maxMatchesPerFile = 100;
export const maxFileBytes = 2 * 1024 * 1024;
export const maxSearchMs = 20_000;
const maxLineLength = 200;

export type SearchErrorCode = 'pattern' | 'unavailable';

export class SearchError extends AppError {
  constructor(
    readonly code: SearchErrorCode,
    /** Message for the model. */
    problem: string,
  ) {
    const local =
      code === 'pattern' ? t('The search text is not a valid regular expression.') : t('The search could not be run. Try again.');
    super(`${code}: ${problem}`, { local, english: problem });
  }
}

/**
 * Returns whether a query ignores case: it does if it contains no capital letters. Capitals in regular expression syntax, such as
 * `\S`, do not count.
 */
export function ignoresCase({ text, isRegex }: Pick<TextQuery, 'text' | 'isRegex'>): boolean {
  const letters = isRegex ? text.replace(/\\(?:[pP]\{[^}]*\}|.)|\(\?P?<\w+>/gsu, '') : text;
  return letters === letters.toLowerCase();
}

/** Returns a filter for paths relative to the folder. Throws `GlobError`. */
export function fileFilter({
  include,
  sensitive = [],
  prefix = '',
}: Pick<TextQuery, 'include' | 'sensitive' | 'prefix'>): (path: string) => boolean {
  const sensitivity = new FileSensitivity(...sensitive);
  const wanted = splitGlobs(include ?? '')
    .map((part) => part.trim())
    .filter((part) => !['', '.', './', '/', '*', '**', '**/*'].includes(part))
    .map(createFilter);
  const isSecret = (path: string): boolean =>
    sensitivity.isSecret(path) || (prefix !== '' && sensitivity.isSecret(`${prefix}${path}`));
  const isOwn = (path: string): boolean => isTemporaryName(path.slice(path.lastIndexOf('/') + 1));
  return (path) => !isOwn(path) && !isSecret(path) && (wanted.length === 0 || wanted.some((matches) => matches(path)));
}

function createFilter(include: string): (path: string) => boolean {
  const matches = globMatcher(include);
  if (/[*?]/.test(include)) return matches;
  // Brackets may be part of a folder name, such as `[id]`.
  const folders = [include, ...expandBraces(include)].map((folder) => `${folderName(folder)}/`);
  return (path) => matches(path) || folders.some((folder) => composedName(path).startsWith(folder));
}

function folderName(include: string): string {
  return composedName(include)
    .replaceAll('\\', '/')
    .replace(/^\.?\/|\/$/g, '');
}

/** Returns a line, truncated to 200 characters around the match. `start` is the column of the match. */
export function shownLine(line: string, start: number): Pick<TextMatch, 'text' | 'lineBytes'> {
  const text = line.replace(/[\r\n]+$/, '');
  if (text.length <= maxLineLength) return { text };
  const from = Math.max(0, Math.min(start - maxLineLength / 4, text.length - maxLineLength));
  const to = from + maxLineLength;
  const shown = `${from > 0 ? '…' : ''}${cutMiddle(text, from, to)}${to < text.length ? '…' : ''}`;
  return { text: shown, lineBytes: Buffer.byteLength(text) };
}
