import { cutHead } from '../../../types/cutText';
/** Whole lines of a file. Line numbers start at 1. */
export interface Chunk {
  first: number;
  last: number;
  symbols: string[];
  text: string;
}

/** Maximum length of a chunk in characters. A chunk that is a single line may be longer. */
export const maxChunkLength = 1_800;
/** Length in characters from which a chunk ends before the next block. */
const goodLength = 900;
/** Maximum length of a line in characters. Longer lines are treated as data. */
const maxLineLength = 1_000;
export const maxSymbols = 24;

const definition =
  /^[ \t]*(?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|async|override|readonly|pub(?:\([a-z]+\))?|unsafe|extern|inline|virtual|sealed|partial)\s+)*(?:function\*?|class|interface|type|enum|namespace|module|def|func|fn|fun|struct|trait|impl|object|record|protocol|const|let|var|val|sub|macro_rules!)\s+(?:\([^)]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/u;
const heading = /^#{1,6}\s+(.{1,80}?)\s*#*$/;

/** Returns the name that a line defines, based on its keywords. */
export function definedIn(line: string): string | undefined {
  return definition.exec(line)?.[1];
}

/** Splits a text into chunks of lines, preferably before a line without indentation. Guesses names from keywords. */
export function chunksByLines(text: string): Chunk[] {
  const lines = splitShortLines(text);
  const chunks: Chunk[] = [];
  let start = 0;
  let length = 0;
  for (const [index, line] of lines.entries()) {
    const begins = /^[^\s)}\]]/.test(line) && !/^(?:\/\/|\*|else|catch|finally|end\b)/.test(line);
    if (index > start && (length + line.length > maxChunkLength || (begins && length > goodLength))) {
      add(chunks, lines, start, index);
      start = index;
      length = 0;
    }
    length += line.length + 1;
  }
  add(chunks, lines, start, lines.length);
  return chunks;
}

/** Splits a text into lines without line breaks. Long lines are truncated. */
export function splitShortLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => cutHead(line, maxLineLength));
}

function add(chunks: Chunk[], lines: readonly string[], from: number, to: number): void {
  const own = lines.slice(from, to);
  if (own.every((line) => line.trim() === '')) return;
  const symbols = new Set<string>();
  for (const line of own) {
    const found = definedIn(line) ?? heading.exec(line)?.[1];
    if (found !== undefined && symbols.size < maxSymbols) symbols.add(found);
  }
  chunks.push({ first: from + 1, last: to, symbols: [...symbols], text: own.join('\n') });
}
