import type { Part } from './blockSplitter';

/** Blocks that are shown together. */
export type Chunk = readonly Part[];

/** A chunk is full with so many blocks, or so many characters to draw. */
const mostBlocks = 40;
const mostCharacters = 16_384;
/** A code block shows its first lines only. */
const mostOfCode = 4096;

/**
 * Groups the blocks of a document into chunks. A chunk whose blocks are all the same keeps its identity, so that on growth only the last
 * one
 * is looked at, however long the document is.
 */
export function inChunks(parts: readonly Part[], known: readonly Chunk[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let start = 0; start < parts.length;) {
    const end = endOfChunk(parts, start);
    const before = known[chunks.length];
    chunks.push(before !== undefined && isSame(before, parts, start, end) ? before : parts.slice(start, end));
    start = end;
  }
  return chunks;
}

function endOfChunk(parts: readonly Part[], start: number): number {
  let end = start;
  for (let characters = 0; end < parts.length && end - start < mostBlocks && characters < mostCharacters; end += 1) {
    const part = parts[end] as Part;
    characters += part.kind === 'code' ? Math.min(part.text.length, mostOfCode) : part.source.length;
  }
  return end;
}

function isSame(chunk: Chunk, parts: readonly Part[], start: number, end: number): boolean {
  return chunk.length === end - start && chunk.every((part, index) => part === parts[start + index]);
}

/** Returns the text of a chunk's blocks, before they are drawn. */
export function plainText(chunk: Chunk): string {
  return chunk.map((part) => (part.kind === 'code' ? part.text : part.source.trimEnd())).join('\n\n');
}
