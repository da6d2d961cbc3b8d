import { parsedJson } from '../../utils/json';
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { CancelledError } from '../../utils/errors';
import { streamLines } from '../../utils/text/streamLines';
import { IgnoredPaths } from './searchRules';
import { listForms } from './composedText';
import { ripgrepRules, type RipgrepRules } from './ripgrepRules';
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
    /** Contains Base64 bytes instead of text if the line is not valid UTF-8. */
    lines?: { text?: string; bytes?: string };
    line_number?: number;
    submatches?: { start: number }[];
    /** Set at the end of a file that is binary. */
    binary_offset?: number | null;
  };
}

/** Searches with a ripgrep binary. Rejects with `unavailable` if the binary does not start. */
export class Ripgrep implements TextSearcher {
  constructor(private readonly binary: string) {}

  async search(query: TextQuery, signal: AbortSignal): Promise<TextMatches> {
    const rules = await ripgrepRules(query.folder);
    if (signal.aborted) throw new CancelledError();
    const options = { cwd: rules.base, windowsHide: true, stdio: ['ignore', 'pipe', 'pipe'] } satisfies SpawnOptions;
    const child = spawn(this.binary, argumentsFor(query, rules), options);
    const kill = (): void => void child.kill('SIGKILL');
    let cut: TextMatches['cut'] = null;
    const timer = setTimeout(() => {
      cut = 'time';
      kill();
    }, maxSearchMs);
    signal.addEventListener('abort', kill, { once: true });
    try {
      const ended = waitForEnd(child);
      const matches = collect(child, query, rules.prefix);
      const [{ code, complaint: stderrText }, { found, isFull }] = await Promise.all([ended, matches]);
      if (signal.aborted) throw new CancelledError();
      // Exit code 2 can also mean unreadable files. In this case, `--no-messages` suppresses the message.
      if (code === 2 && stderrText !== '' && found.length === 0) throw new SearchError('pattern', stderrText);
      return { matches: found, cut: isFull ? 'count' : cut };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      kill();
    }
  }
}

function argumentsFor({ text, isRegex }: TextQuery, { args, prefix }: RipgrepRules): string[] {
  return [
    '--no-config',
    '--json',
    '--hidden',
    ...args,
    '--no-messages',
    '--smart-case',
    '--crlf',
    ...['--max-count', String(maxMatchesPerFile)],
    ...['--max-filesize', String(maxFileBytes)],
    ...(isRegex ? [] : ['--fixed-strings']),
    ...listForms({ text, isRegex }).flatMap((form) => ['--regexp', form]),
    ...['--', prefix],
  ];
}

async function collect(child: ChildProcess, query: TextQuery, prefix: string): Promise<{ found: TextMatch[]; isFull: boolean }> {
  const isWanted = fileFilter(query);
  const paths = new IgnoredPaths(query.folder);
  const found: TextMatch[] = [];
  /** Matches of the current file. ripgrep reports only at the end of a file whether it is text. */
  let inFile: TextMatch[] = [];
  if (!child.stdout) return { found, isFull: false };
  child.stdout.on('error', () => undefined);
  for await (const line of streamLines(child.stdout)) {
    const told = parsedJson(line) as RipgrepLine | undefined;
    if (told?.type === 'match') {
      const match = matchIn(told, prefix);
      if (match !== null && isWanted(match.path)) inFile.push(match);
    }
    if (told?.type !== 'end') continue;
    const isLeftOut = inFile[0] === undefined || paths.isIgnored(inFile[0].path);
    if (!isLeftOut && typeof told.data.binary_offset !== 'number') found.push(...inFile.slice(0, maxMatches - found.length));
    inFile = [];
    if (found.length < maxMatches) continue;
    // Unread output would prevent the process from ending.
    child.stdout.destroy();
    child.kill('SIGKILL');
    return { found, isFull: true };
  }
  return { found, isFull: false };
}

function matchIn({ data }: RipgrepLine, prefix: string): TextMatch | null {
  const path = data.path?.text;
  const lines = data.lines;
  const number = data.line_number;
  // A model cannot write a path that is not valid UTF-8.
  if (path === undefined || lines === undefined || number === undefined) return null;
  const bytes = lines.text === undefined ? Buffer.from(lines.bytes ?? '', 'base64') : Buffer.from(lines.text);
  const start = bytes.subarray(0, data.submatches?.[0]?.start ?? 0).toString('utf8').length;
  return { path: path.replaceAll('\\', '/').slice(prefix.length), line: number, ...shownLine(bytes.toString('utf8'), start) };
}

function waitForEnd(child: ChildProcess): Promise<{ code: number | null; complaint: string }> {
  return new Promise((resolve, reject) => {
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, 2000)));
    child.once('error', (error) => reject(new SearchError('unavailable', `ripgrep does not start: ${error.message}`)));
    child.once('close', (code) => resolve({ code, complaint: complaint.trim() }));
  });
}
