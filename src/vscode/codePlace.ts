/** Lines `[from, to)` of a file, counted from 0, that a block of code stands for, and the code for them. */
export interface CodePlace {
  from: number;
  to: number;
  lines: string[];
}

/** Least share of a block's lines that the file has in the same order where the block stands for the whole file. */
const leastShared = 0.5;

/** Matches a comment that is a path alone: `// src/a.ts`, `# a.py`, `<!-- a.html -->`. */
const pathComment = /^\s*(?:\/\/|#|--|;|\/\*|<!--)\s*(?:file(?:name)?:\s*)?([\w@.][\w@./-]*\.\w+)\s*(?:\*\/|-->)?\s*$/i;

/** Matches a line that stands for others: `// ...`, `# … the rest`, `// existing code`, `...`. */
const omission =
  /^(?:\.\.\.|…)$|^(?:\/\/|#|--|\/\*|<!--|\{\/\*)\s*(?:\.\.\.|…|(?:the )?(?:rest|remaining|existing|other|same)\b.*\b(?:code|file|methods|functions|same|before|unchanged)\b)/i;

/** Returns the path that the first line of a block names in a comment; null where it names none. */
export function pathNamedIn(code: string): string | null {
  return pathComment.exec(code.split('\n', 1)[0] ?? '')?.[1] ?? null;
}

/**
 * Finds the lines of a file that a block of code should replace: those between the one place of its first line and the one place of its last line
 * after that, or the whole file where the block has at least half of its own lines from there. Returns null where no place is certain, and for a block that leaves lines out.
 */
export function findCodePlace(file: readonly string[], code: string): CodePlace | null {
  const lines = codeLines(code, file);
  const words = lines.map((line) => line.trim());
  const own = file.map((line) => line.trim());
  const [first, last] = [words.find(Boolean), words.findLast(Boolean)];
  if (first === undefined || last === undefined || words.some((line) => omission.test(line))) return null;
  if (own.every((line) => line === '')) return { from: 0, to: file.length, lines };
  if (isWholeFile(own, words)) return { from: 0, to: file.length, lines };

  const starts = placesOf(own, first);
  const [from] = starts;
  if (from === undefined || starts.length > 1) return null;
  const indent = indentOf(file[from] ?? '');
  // The end of a definition is the first line like the block's last that is as deep as its head.
  const depth =
    indentOf(lines.findLast((line) => line.trim() !== '') ?? '').length -
    indentOf(lines.find((line) => line.trim() !== '') ?? '').length;
  const to = own.findIndex(
    (line, index) => index >= from && line === last && indentOf(file[index] ?? '').length === indent.length + depth,
  );
  return to === -1 ? null : { from, to: to + 1, lines: indented(trimmed(lines), indent) };
}

/** Returns the lines of a block without its fence's last line break, and without a comment that only names the file. */
export function codeLines(code: string, file: readonly string[]): string[] {
  const lines = code.replace(/\r?\n$/, '').split(/\r?\n/);
  const isNamed = pathNamedIn(code) !== null && !file.includes(lines[0] ?? '');
  return isNamed ? lines.slice(1) : lines;
}

/** Tells whether a block begins and ends as the file does and has enough of its lines. */
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

function placesOf(own: readonly string[], line: string): number[] {
  return own.flatMap((other, index) => (other === line ? [index] : []));
}

function trimmed(lines: readonly string[]): string[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  return lines.slice(from, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** Moves a block to the indentation of the place. */
function indented(lines: readonly string[], indent: string): string[] {
  const before = indentOf(lines[0] ?? '');
  return lines.map((line) => (line.startsWith(before) && line.trim() !== '' ? indent + line.slice(before.length) : line));
}

function indentOf(line: string): string {
  return /^[\t ]*/.exec(line)?.[0] ?? '';
}
