/** Piece of a file. Lines count from 1; the text is that of whole lines. */
export interface Chunk {
  first: number;
  last: number;
  symbols: string[];
  text: string;
}

/** Characters of a chunk at the most, but for a single line that is longer. */
export const maxChunkLength = 1_800;
/** Characters above which a chunk ends where a block does. */
const goodLength = 900;
/** Characters of a line that count; longer ones are data. */
const maxLineLength = 1_000;
/** Names kept of one chunk. */
export const maxSymbols = 24;

const definition =
  /^[ \t]*(?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|async|override|readonly|pub(?:\([a-z]+\))?|unsafe|extern|inline|virtual|sealed|partial)\s+)*(?:function\*?|class|interface|type|enum|namespace|module|def|func|fn|fun|struct|trait|impl|object|record|protocol|const|let|var|val|sub|macro_rules!)\s+(?:\([^)]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/u;
const heading = /^#{1,6}\s+(.{1,80}?)\s*#*$/;

/** Returns the name that a line of code defines by its first words. */
export function definedIn(line: string): string | undefined {
  return definition.exec(line)?.[1];
}

/** Cuts a text by its lines: at a line without indentation once there is enough. Names are guessed from the words before them. */
export function chunksByLines(text: string): Chunk[] {
  const lines = linesOf(text);
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

/** Returns the lines of a text without their ends; what is too long for code is cut. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).map((line) => (line.length > maxLineLength ? line.slice(0, maxLineLength) : line));
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
