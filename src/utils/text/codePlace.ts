/** Lines `[from, to)` (0-based) of a file that a code block replaces, and their replacement. */
export interface BlockPlace {
  from: number;
  to: number;
  lines: string[];
}

/** Minimum share of the lines of a block that a file must contain in the same order if the block replaces the whole file. */
const leastShared = 0.5;

/** Matches a comment that contains only a path: `// src/a.ts`, `# a.py`, `<!-- a.html -->`. */
const pathComment = /^\s*(?:\/\/|#|--|;|\/\*|<!--)\s*(?:file(?:name)?:\s*)?([\w@.][\w@./-]*\.\w+)\s*(?:\*\/|-->)?\s*$/i;

/** Matches a placeholder for omitted lines: `// ...`, `# … the rest`, `// existing code`, `...`. */
const omission =
  /^(?:\.\.\.|…)$|^(?:\/\/|#|--|\/\*|<!--|\{\/\*)\s*(?:\.\.\.|…|(?:the )?(?:rest|remaining|existing|other|same)\b.*\b(?:code|file|methods|functions|same|before|unchanged)\b)/i;

/** Matches the start of a function up to its parameters, and captures its name. */
const functionHead =
  /^(?:(?:export|default|async|public|private|static|pub|override)\s+)*(?:function(?:\s*\*\s*|\s+)|(?:def|func|fun|fn)\s+)([\w$]+)\s*[(<]/;

/** Matches the first line of a Python function. */
const pythonHead = /^(?:async\s+)?def\s.*:$/;

/** Returns the path in a comment on the first line of a block, or null. */
export function pathNamedIn(code: string): string | null {
  return pathComment.exec(code.split('\n', 1)[0] ?? '')?.[1] ?? null;
}

/**
 * Finds the lines that a code block replaces. They start at the only match of its first line and end at the
 * next match of its last line. A function matches by its name, and a Python function ends where its
 * indentation ends. Returns the whole file if it shares at least half of the lines of the block. Returns null
 * if there is no unique location or if the block omits lines.
 */
export function findCodePlace(file: readonly string[], code: string): BlockPlace | null {
  const lines = codeLines(code, file);
  const words = lines.map((line) => line.trim());
  const own = file.map((line) => line.trim());
  const first = words.find(Boolean);
  const last = words.findLast(Boolean);
  if (first === undefined || last === undefined || words.some((line) => omission.test(line))) return null;
  if (own.every((line) => line === '') || isWholeFile(own, words)) {
    const endsOpen = own.at(-1) === '' && words.at(-1) !== '';
    return { from: 0, to: file.length, lines: endsOpen ? [...lines, ''] : lines };
  }

  const starts = findStarts(own, first);
  const [from] = starts;
  if (from === undefined || starts.length > 1) return null;
  const indent = readIndent(file[from] ?? '');
  // A definition ends at the first line that equals the last line of
  // the block and has the same indentation relative to the first line.
  const depth =
    readIndent(lines.findLast((line) => line.trim() !== '') ?? '').length -
    readIndent(lines.find((line) => line.trim() !== '') ?? '').length;
  const end = own.findIndex(
    (line, index) => index >= from && line === last && readIndent(file[index] ?? '').length === indent.length + depth,
  );
  const to = pythonHead.test(first) && depth > 0 ? endOfBody(file, from) : end + 1;
  return to === 0 ? null : { from, to, lines: indented(trimmed(lines), indent) };
}

/** Returns the lines of a block without the final line break, and without a comment that only names the file. */
export function codeLines(code: string, file: readonly string[]): string[] {
  const lines = code.replace(/\r?\n$/, '').split(/\r?\n/);
  const isNamed = pathNamedIn(code) !== null && !file.includes(lines[0] ?? '');
  return isNamed ? lines.slice(1) : lines;
}

/** Returns true if a block starts and ends like the file and shares enough lines with it. */
function isWholeFile(own: readonly string[], words: readonly string[]): boolean {
  const texts = own.filter(Boolean);
  const said = words.filter(Boolean);
  const known = new Set(texts);
  const shared = said.filter((line) => known.has(line)).length;
  return (
    texts[0] === said[0] &&
    texts.at(-1) === said.at(-1) &&
    shared >= said.length * leastShared &&
    shared >= texts.length * leastShared
  );
}

/**
 * Returns the indexes of the lines that equal the first line of a block. If there are none,
 * returns the first lines of functions with its name.
 */
function findStarts(own: readonly string[], first: string): number[] {
  const places = (isStart: (line: string) => boolean) => own.flatMap((line, index) => (isStart(line) ? [index] : []));
  const exact = places((line) => line === first);
  const name = functionHead.exec(first)?.[1];
  return exact.length > 0 || name === undefined ? exact : places((line) => functionHead.exec(line)?.[1] === name);
}

/** Returns the index after the last line of a body. The body has more indentation than its first line. */
function endOfBody(file: readonly string[], head: number): number {
  const indent = readIndent(file[head] ?? '').length;
  const next = file.findIndex((line, index) => index > head && line.trim() !== '' && readIndent(line).length <= indent);
  return file.slice(0, next === -1 ? file.length : next).findLastIndex((line) => line.trim() !== '') + 1;
}

function trimmed(lines: readonly string[]): string[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  return lines.slice(from, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** Indents lines for their new location. Replaces the indentation of the first non-blank line in all lines that have it. */
export function indented(lines: readonly string[], indent: string): string[] {
  const before = readIndent(lines.find((line) => line.trim() !== '') ?? '');
  return lines.map((line) => (line.startsWith(before) && line.trim() !== '' ? indent + line.slice(before.length) : line));
}

/** Returns the spaces and tabs at the start of a line. */
export function readIndent(line: string): string {
  return /^[\t ]*/.exec(line)?.[0] ?? '';
}
