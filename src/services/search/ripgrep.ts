import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CancelledError } from '../../utils/errors';
import { IgnoredPaths } from './ignoreRules';
import { forcedFiles, ripgrepRules, type RipgrepRules } from './ripgrepRules';
import {
  fileFilter,
  maxFileBytes,
  maxMatches,
  maxMatchesPerFile,
  maxSearchMs,
  SearchError,
  shownLine,
  type TextMatch,
  type TextMatches,
  type TextQuery,
  type TextSearcher,
} from './textQuery';

interface RipgrepLine {
  type: string;
  data: {
    path?: { text?: string };
    /** Base64 instead of text where it is not valid UTF-8. */
    lines?: { text?: string; bytes?: string };
    line_number?: number;
    submatches?: { start: number }[];
    /** At the end of a file: where it turned out not to be text. */
    binary_offset?: number | null;
  };
}

/** Characters of paths on one command line; Windows takes 32,767 of all. */
const maxPlacesLength = 16_000;

/** One run of the binary. `places` begin with the folder's path as `rules` have it. */
interface Run {
  query: TextQuery;
  rules: RipgrepRules;
  paths: IgnoredPaths;
  places: readonly string[];
  limit: number;
  /** Milliseconds. */
  until: number;
}

/** Searches with a ripgrep binary. Rejects with `unavailable` where that does not start. */
export class Ripgrep implements TextSearcher {
  constructor(private readonly binary: string) {}

  async search(query: TextQuery, signal: AbortSignal): Promise<TextMatches> {
    const { folder } = query;
    const until = Date.now() + maxSearchMs;
    const [rules, paths] = [await ripgrepRules(folder), new IgnoredPaths(folder)];
    const run = (places: readonly string[], limit: number): Promise<TextMatches> =>
      this.run({ query, rules, paths, places, limit, until }, signal);
    const { matches, cut } = await run([rules.prefix], maxMatches);
    if (cut !== null) return { matches, cut };
    for (const files of batchesOf(await forcedFiles(folder, paths, signal))) {
      const places = files.map((file) => `${rules.prefix}${file}`);
      const more = await run(places, maxMatches - matches.length);
      matches.push(...more.matches);
      if (more.cut !== null) return { matches, cut: more.cut };
    }
    return { matches, cut: null };
  }

  private async run(run: Run, signal: AbortSignal): Promise<TextMatches> {
    if (signal.aborted) throw new CancelledError();
    const cwd = run.rules.base;
    const child = spawn(this.binary, argumentsFor(run), { cwd, windowsHide: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = (): void => void child.kill('SIGKILL');
    let cut: TextMatches['cut'] = null;
    const timer = setTimeout(
      () => {
        cut = 'time';
        kill();
      },
      Math.max(0, run.until - Date.now()),
    );
    signal.addEventListener('abort', kill, { once: true });
    try {
      const [ended, matches] = [endOf(child), collect(child, run)];
      const { code, complaint } = await ended;
      const { found, isFull } = await matches;
      if (signal.aborted) throw new CancelledError();
      // Files that cannot be read are an error to ripgrep too, but one that it does not speak of.
      if (code === 2 && complaint !== '' && found.length === 0) throw new SearchError('pattern', complaint);
      return { matches: found, cut: isFull ? 'count' : cut };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      kill();
    }
  }
}

function* batchesOf(files: readonly string[]): Generator<string[]> {
  let [batch, length]: [string[], number] = [[], 0];
  for (const file of files) {
    batch.push(file);
    length += file.length;
    if (length < maxPlacesLength) continue;
    yield batch;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function argumentsFor({ query: { text, isRegex }, rules, places }: Run): string[] {
  return [
    '--no-config',
    '--json',
    '--hidden',
    ...rules.args,
    '--no-messages',
    '--smart-case',
    '--crlf',
    ...['--max-count', String(maxMatchesPerFile)],
    ...['--max-filesize', String(maxFileBytes)],
    ...(isRegex ? [] : ['--fixed-strings']),
    ...['--regexp', text],
    ...['--', ...places],
  ];
}

async function collect(child: ChildProcess, run: Run): Promise<{ found: TextMatch[]; isFull: boolean }> {
  const isWanted = fileFilter(run.query);
  const found: TextMatch[] = [];
  /** Of the file that is being told of: only its end says whether it is text. */
  let inFile: TextMatch[] = [];
  if (!child.stdout) return { found, isFull: false };
  child.stdout.on('error', () => undefined);
  for await (const line of createInterface({ input: child.stdout })) {
    const told = parsed(line);
    if (told?.type === 'match') {
      const match = matchIn(told, run.rules.prefix);
      if (match !== null && isWanted(match.path)) inFile.push(match);
    }
    if (told?.type !== 'end') continue;
    const isLeftOut = inFile[0] === undefined || (await run.paths.isIgnored(inFile[0].path));
    if (!isLeftOut && typeof told.data.binary_offset !== 'number') found.push(...inFile.slice(0, run.limit - found.length));
    inFile = [];
    if (found.length < run.limit) continue;
    // What is left unread would keep the process from ending.
    child.stdout.destroy();
    child.kill('SIGKILL');
    return { found, isFull: true };
  }
  return { found, isFull: false };
}

function parsed(line: string): RipgrepLine | null {
  try {
    return JSON.parse(line) as RipgrepLine;
  } catch {
    return null;
  }
}

function matchIn({ data }: RipgrepLine, prefix: string): TextMatch | null {
  const [path, lines, number] = [data.path?.text, data.lines, data.line_number];
  // A path that is not valid UTF-8 could not be named by a model.
  if (path === undefined || lines === undefined || number === undefined) return null;
  const bytes = lines.text === undefined ? Buffer.from(lines.bytes ?? '', 'base64') : Buffer.from(lines.text);
  const start = bytes.subarray(0, data.submatches?.[0]?.start ?? 0).toString('utf8').length;
  return { path: path.replaceAll('\\', '/').slice(prefix.length), line: number, text: shownLine(bytes.toString('utf8'), start) };
}

function endOf(child: ChildProcess): Promise<{ code: number | null; complaint: string }> {
  return new Promise((resolve, reject) => {
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, 2000)));
    child.once('error', (error) => reject(new SearchError('unavailable', `ripgrep does not start: ${error.message}`)));
    child.once('close', (code) => resolve({ code, complaint: complaint.trim() }));
  });
}
