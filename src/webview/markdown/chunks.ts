import type { Part } from './blockSplitter';

export type TextChunk = readonly Part[];

/** Limits of a chunk, in blocks and rendered characters. */
const mostBlocks = 40;
const mostCharacters = 16_384;
/** Maximum counted length of a code block, because a code block shows only its first lines. */
const mostOfCode = 4096;

/** Groups blocks into chunks. An unchanged chunk keeps its identity, so that new text only updates the last one. */
export function inChunks(parts: readonly Part[], known: readonly TextChunk[]): readonly TextChunk[] {
  const chunks: TextChunk[] = [];
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

function isSame(chunk: TextChunk, parts: readonly Part[], start: number, end: number): boolean {
  return chunk.length === end - start && chunk.every((part, index) => part === parts[start + index]);
}

/** Returns the text of a chunk that is not rendered yet. */
export function toPlainText(chunk: TextChunk): string {
  return chunk.map((part) => (part.kind === 'code' ? part.text : part.source.trimEnd())).join('\n\n');
}
