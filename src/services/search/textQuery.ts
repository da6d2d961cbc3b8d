import { FileSensitivity, type SensitivityPatterns } from '../../utils/sensitivity/fileSensitivity';
import { globMatcher, hasWildcards, splitGlobs } from '../../utils/text/globs';
import { AppError } from '../../utils/errors';
import { isTemporaryName } from '../../utils/files/temporaryName';

/** Search in the files of one folder. It crosses to a worker as it is. */
export interface TextQuery {
  /** A workspace folder: a real path. */
  folder: string;
  text: string;
  isRegex: boolean;
  /** Globs, files or folders inside `folder`, divided by commas; all files without it. */
  include?: string | undefined;
  /** A person's own patterns of sensitive files, those that take precedence last. */
  sensitive?: readonly SensitivityPatterns[];
  /** Prefix of the paths if the workspace has several folders; patterns may be about a file's name with or without it. */
  prefix?: string;
}

export interface TextMatch {
  /** Path from the folder, with `/`. */
  path: string;
  line: number;
  /** The line, cut around the match. */
  text: string;
}

export interface TextMatches {
  matches: TextMatch[];
  /** Reason why there may be more matches: the number of them, or the time. */
  cut: 'count' | 'time' | null;
}

/** Searches the text of the files in a folder; ignored, sensitive, binary and large files are passed over, links not followed. */
export interface TextSearcher {
  /** Rejects with `SearchError` for a pattern that is none, with `CancelledError` on abort. */
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
    /** Problem in words for the model, as only the model sees a search fail. */
    problem: string,
  ) {
    super(`${code}: ${problem}`, { local: problem, english: problem });
  }
}

/**
 * Tells whether a query finds capitals too: one without any does. Those of a regular expression's own signs, such as `\S`, do not count.
 */
export function ignoresCase({ text, isRegex }: Pick<TextQuery, 'text' | 'isRegex'>): boolean {
  const letters = isRegex ? text.replace(/\\(?:[pP]\{[^}]*\}|.)|\(\?P?<\w+>/gsu, '') : text;
  return letters === letters.toLowerCase();
}

/** Tells which files, by their path from the folder, a search looks into. Throws `GlobError`. */
export function fileFilter({
  include,
  sensitive = [],
  prefix = '',
}: Pick<TextQuery, 'include' | 'sensitive' | 'prefix'>): (path: string) => boolean {
  const sensitivity = new FileSensitivity(...sensitive);
  const wanted = splitGlobs(include ?? '')
    .map((part) => part.trim())
    .filter((part) => !['', '.', './', '/', '*', '**', '**/*'].includes(part))
    .map(filterOf);
  const isSecret = (path: string): boolean =>
    sensitivity.isSecret(path) || (prefix !== '' && sensitivity.isSecret(`${prefix}${path}`));
  const isOwn = (path: string): boolean => isTemporaryName(path.slice(path.lastIndexOf('/') + 1));
  return (path) => !isOwn(path) && !isSecret(path) && (wanted.length === 0 || wanted.some((matches) => matches(path)));
}

function filterOf(include: string): (path: string) => boolean {
  const matches = globMatcher(include);
  if (hasWildcards(include)) return matches;
  const folder = `${include.replaceAll('\\', '/').replace(/^\.?\/|\/$/g, '')}/`;
  return (path) => matches(path) || path.startsWith(folder);
}

/** A line of at most 200 characters that shows what was found. `start` is where the match begins. */
export function shownLine(line: string, start: number): string {
  const text = line.replace(/[\r\n]+$/, '');
  if (text.length <= maxLineLength) return text;
  const from = Math.max(0, Math.min(start - maxLineLength / 4, text.length - maxLineLength));
  const to = from + maxLineLength;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
