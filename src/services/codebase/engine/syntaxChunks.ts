import { loadGrammar, type Grammar, type SyntaxNode } from '../../syntax/grammars';
import { splitShortLines, maxChunkLength, maxSymbols, type Chunk } from './chunks';

const grammarNames: Readonly<Record<string, string>> = {
  js: 'javascript',
  cjs: 'javascript',
  mjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  cts: 'typescript',
  mts: 'typescript',
  tsx: 'tsx',
  py: 'python',
  go: 'go',
  java: 'java',
  rs: 'rust',
};
/** Time limit per file in milliseconds. A slower file stays chunked by lines. */
const limitMs = 2_000;
/** Node types that only wrap a definition, such as an export. */
const wrappers =
  /^(?:export_statement|decorated_definition|lexical_declaration|variable_declaration|type_declaration|ambient_declaration)$/;
const definitions =
  /(?:function|method|class|interface|enum|struct|trait|impl|mod|type_alias|type|union|constructor|record)_?(?:declaration|definition|item|spec|signature)?$|^variable_declarator$|_item$|^type_spec$|^public_field_definition$/;

export function hasGrammar(path: string): boolean {
  return grammarNames[readEnding(path)] !== undefined;
}

/**
 * Splits a file into chunks by syntax. Splits long nodes into their children, and joins neighbors that fit into one chunk.
 * Resolves with null if there is no grammar, the grammar cannot be loaded, or parsing takes too long.
 */
export async function chunksBySyntax(path: string, text: string): Promise<Chunk[] | null> {
  const name = grammarNames[readEnding(path)];
  if (name === undefined) return null;
  const grammar: Grammar | null = await loadGrammar(name).catch(() => null);
  if (grammar === null) return null;
  const until = performance.now() + limitMs;
  try {
    return grammar.parse(
      text,
      () => performance.now() > until,
      (root) => new SyntaxChunker(text).chunk(root),
    );
  } catch {
    // An error in a grammar must not prevent the word search.
    return null;
  }
}

interface Piece {
  start: number;
  end: number;
  symbols: string[];
}

class SyntaxChunker {
  private readonly lines: string[];
  /** Offset of the start of each line. */
  private readonly starts: number[] = [0];

  constructor(text: string) {
    this.lines = splitShortLines(text);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  chunk(root: SyntaxNode): Chunk[] {
    const pieces = this.split(root, []);
    const joined: Piece[] = [];
    for (const piece of pieces) {
      const last = joined.at(-1);
      if (last !== undefined && piece.end - last.start <= maxChunkLength) {
        last.end = piece.end;
        last.symbols.push(...piece.symbols);
      } else joined.push({ ...piece, symbols: [...piece.symbols] });
    }
    return this.inLines(joined);
  }

  /** Returns the parts of a node in order, each within the chunk limit. A node without children may be longer. */
  private split(node: SyntaxNode, around: readonly string[]): Piece[] {
    const pieces: Piece[] = [];
    for (const child of node.namedChildren) {
      if (child === null) continue;
      const names = findNames(child);
      if (child.endIndex - child.startIndex <= maxChunkLength) {
        const symbols = [...names, ...(names.length > 0 ? innerNames(child) : [])];
        pieces.push({ start: child.startIndex, end: child.endIndex, symbols });
        continue;
      }
      const within = [...around, ...names];
      const parts = this.split(child, within);
      const [first] = parts;
      // The start of a long definition belongs to its first part.
      if (first === undefined) pieces.push({ start: child.startIndex, end: child.endIndex, symbols: within });
      else {
        first.start = child.startIndex;
        first.symbols.unshift(...names);
        const last = parts.at(-1);
        if (last !== undefined) last.end = child.endIndex;
        pieces.push(...parts.map((part) => (part === first ? part : { ...part, symbols: [...within, ...part.symbols] })));
      }
    }
    return pieces;
  }

  /** Converts parts to whole lines. A line belongs to the part that starts on it, or before it. Splits long parts. */
  private inLines(pieces: readonly Piece[]): Chunk[] {
    const chunks: Chunk[] = [];
    let from = 0;
    for (const [index, piece] of pieces.entries()) {
      const next = pieces[index + 1];
      const to = next === undefined ? this.lines.length : Math.max(from, Math.min(this.lineAt(next.start), this.lines.length));
      for (const [start, end] of this.fitting(from, to)) this.add(chunks, start, end, piece.symbols);
      from = to;
    }
    if (pieces.length === 0) for (const [start, end] of this.fitting(0, this.lines.length)) this.add(chunks, start, end, []);
    return chunks;
  }

  private *fitting(from: number, to: number): Generator<[number, number]> {
    let start = from;
    let length = 0;
    for (let line = from; line < to; line += 1) {
      const own = (this.lines[line] ?? '').length + 1;
      if (line > start && length + own > maxChunkLength * 1.25) {
        yield [start, line];
        start = line;
        length = 0;
      }
      length += own;
    }
    if (start < to) yield [start, to];
  }

  private add(chunks: Chunk[], from: number, to: number, symbols: readonly string[]): void {
    const own = this.lines.slice(from, to);
    if (own.every((line) => line.trim() === '')) return;
    const names = [...new Set(symbols)].slice(0, maxSymbols);
    chunks.push({ first: from + 1, last: to, symbols: names, text: own.join('\n') });
  }

  private lineAt(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function findNames(node: SyntaxNode): string[] {
  if (wrappers.test(node.type)) return node.namedChildren.flatMap((child) => (child === null ? [] : findNames(child)));
  if (!definitions.test(node.type)) return [];
  const name = node.childForFieldName('name') ?? node.childForFieldName('type');
  return name === null || name.text.length > 100 ? [] : [name.text];
}

/** Returns the names of members inside a definition that fits into one chunk. */
function innerNames(node: SyntaxNode): string[] {
  const body = wrappers.test(node.type)
    ? node.namedChildren.map((child) => child?.childForFieldName('body') ?? null).find((found) => found !== null)
    : node.childForFieldName('body');
  return (body?.namedChildren ?? []).flatMap((child) => (child === null ? [] : findNames(child)));
}

function readEnding(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase();
}
