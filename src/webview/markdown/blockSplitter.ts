import { longest } from './limits';
import { readLanguage, markdown, type RenderEnvironment } from './parser';
import { areSameReferences, ReferenceIndex, type References } from './references';

export type Part =
  | { kind: 'prose'; source: string; references: References | null }
  /** `isClosed`: the code is complete. */
  | { kind: 'code'; language: string; text: string; isClosed: boolean };

interface OpenFence {
  language: string;
  /** Index where the text of the block starts. */
  from: number;
  /** Index of the first line that is not complete yet. */
  scanned: number;
  closing: RegExp;
}

/**
 * Maximum number of characters to add per parse. The parser then gets at most this many characters and one unfinished block.
 */
const step = 32_768;

/**
 * Splits growing Markdown into blocks. A block that is followed by another block is finished. It keeps its identity and is
 * not parsed again. When text arrives, only the tail is parsed. In an open code block, only the new lines are parsed. Long
 * blocks are split at positions that do not depend on how the text arrived.
 */
export class BlockSplitter {
  private text = '';
  private finished: Part[] = [];
  private references = new ReferenceIndex();
  /** Unfinished blocks of the last update. */
  private open: Part[] = [];
  private tailStart = 0;
  /** Header of the table that continues in the tail. */
  private tableHead = '';
  private fence: OpenFence | null = null;

  /** Returns the blocks of a text. While `isOpen` is true, the last block can still change. */
  update(source: string, isOpen: boolean): readonly Part[] {
    const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
    if (!text.startsWith(this.text)) this.reset();
    for (let end = this.text.length + step; end < text.length; end += step) this.advance(text.slice(0, end), true);
    return this.advance(text, isOpen);
  }

  private advance(text: string, isOpen: boolean): readonly Part[] {
    this.text = text;
    if (isOpen && this.fence !== null) {
      const part = this.growFence(this.fence);
      if (part !== null) return [...this.finished, part];
    }
    this.fence = null;
    return this.splitTail(isOpen);
  }

  private splitTail(isOpen: boolean): readonly Part[] {
    const tail = this.tableHead + this.text.slice(this.tailStart);
    const env: RenderEnvironment = {};
    const blocks = topBlocks(tail, env);
    this.noteReferences(env.references);
    const long = blocks.findIndex((block) => findCut(block) !== null);
    if (long !== -1) {
      this.cut(blocks.slice(0, long + 1), tail);
      return this.splitTail(isOpen);
    }

    const parts = blocks.map((block, index) => {
      const isLast = index === blocks.length - 1;
      if (isLast && isOpen && block.fence !== null) {
        this.fence = openFence(tail, block, this.tailStart - this.tableHead.length);
      }
      return sameOr(this.open[index], this.toPart(block, !(isLast && isOpen)));
    });
    const last = blocks[blocks.length - 1];
    if (!isOpen || last === undefined) return [...this.finished, ...parts];

    // An incomplete last line may still belong to the previous block.
    const isFirmlyBegun = tail.indexOf('\n', last.from) !== -1;
    const firm = Math.max(0, parts.length - (isFirmlyBegun ? 1 : 2));
    if (firm > 0) this.finish(parts.slice(0, firm), tail, blocks[firm]?.from ?? 0);
    this.open = parts.slice(firm);
    return [...this.finished, ...this.open];
  }

  /** Finishes all blocks before the last one, and the last one up to the position where it is split. */
  private cut(blocks: readonly TopBlock[], tail: string): void {
    const long = blocks[blocks.length - 1] as TopBlock;
    const cut = findCut(long) ?? long.source.length;
    const parts = [...blocks.slice(0, -1), cutHead(long, cut)].map((block) => this.toPart(block, true));
    this.finish(parts, tail, long.from + cut);
    this.open = [];
    this.tableHead = long.tableHead;
  }

  private finish(parts: Part[], tail: string, end: number): void {
    for (const [index, part] of parts.entries()) {
      if (part.kind === 'prose') this.references.finishBlock(part.source, this.finished.length + index);
    }
    this.finished = [...this.finished, ...parts];
    const passed = tail.slice(0, end);
    if (passed.includes(']:')) {
      const env: RenderEnvironment = {};
      topBlocks(passed, env);
      this.references.finishDefinitions(env.references);
    }
    this.tailStart += end - this.tableHead.length;
    this.tableHead = '';
  }

  private toPart(block: TopBlock, isClosed: boolean): Part {
    if (block.fence !== null) return { kind: 'code', language: block.fence.language, text: block.fence.text, isClosed };
    return { kind: 'prose', source: block.source, references: this.references.of(block.source) };
  }

  /** Rebuilds only the blocks that have links to a new definition. */
  private noteReferences(inTail: References | undefined): void {
    const touched = this.references.noteTail(inTail);
    if (touched.size === 0) return;
    this.finished = [...this.finished];
    for (const index of touched) {
      const part = this.finished[index];
      if (part?.kind === 'prose') this.finished[index] = { ...part, references: this.references.of(part.source) };
    }
  }

  /** Returns the open code block with its new lines. Returns null if the block might already be closed. */
  private growFence(fence: OpenFence): Part | null {
    for (let end = this.text.indexOf('\n', fence.scanned); end !== -1; end = this.text.indexOf('\n', fence.scanned)) {
      if (fence.closing.test(this.text.slice(fence.scanned, end))) return null;
      fence.scanned = end + 1;
    }
    // Fence characters at the end are probably the start of the closing line.
    const isClosing = /^[ ]{0,3}(`+|~+)[ ]*$/.test(this.text.slice(fence.scanned));
    const to = isClosing ? Math.max(fence.from, fence.scanned - 1) : this.text.length;
    return { kind: 'code', language: fence.language, text: trimEnd(this.text.slice(fence.from, to)), isClosed: false };
  }

  private reset(): void {
    this.finished = [];
    this.references = new ReferenceIndex();
    this.open = [];
    this.tailStart = 0;
    this.tableHead = '';
    this.fence = null;
  }
}

function sameOr(known: Part | undefined, part: Part): Part {
  if (known?.kind === 'prose' && part.kind === 'prose') {
    return known.source === part.source && areSameReferences(known.references, part.references) ? known : part;
  }
  if (known?.kind === 'code' && part.kind === 'code') {
    return known.text === part.text && known.language === part.language && known.isClosed === part.isClosed ? known : part;
  }
  return part;
}

interface TopBlock {
  source: string;
  /** Offset in the tail. */
  from: number;
  /** First two lines of a table. They are repeated in each further part of the table. */
  tableHead: string;
  fence: { language: string; text: string; marker: string; indent: boolean } | null;
}

/** Returns the top-level blocks of a text with `\n` line endings. */
function topBlocks(text: string, env: RenderEnvironment): TopBlock[] {
  const tokens: ReturnType<typeof markdown.parse> = [];
  markdown.block.parse(text.replaceAll('\0', '\uFFFD'), markdown, env, tokens);
  const blocks: TopBlock[] = [];
  const offsets = lineOffsets(text);
  for (const token of tokens) {
    if (token.level !== 0 || token.nesting === -1 || token.map === null) continue;
    const [first, end] = token.map;
    const from = offsets[first] ?? text.length;
    const isCode = token.type === 'fence' || token.type === 'code_block';
    const source = text.slice(from, offsets[end] ?? text.length);
    blocks.push({
      source,
      from,
      tableHead: token.type === 'table_open' ? (/^.*\n.*\n/.exec(source)?.[0] ?? '') : '',
      fence: isCode
        ? {
            language: readLanguage(token),
            text: trimEnd(token.content),
            marker: token.meta?.wideTable !== undefined ? '|' : token.type === 'fence' ? token.markup : '',
            indent: source.startsWith(' '),
          }
        : null,
    });
  }
  return blocks;
}

/**
 * Returns the index at which a block is split, or null. It only depends on the start of the block. An open code block grows
 * by lines and needs no split.
 */
function findCut({ source, fence }: TopBlock): number | null {
  if (source.length <= longest || (fence !== null && fence.marker !== '')) return null;
  for (let end = source.indexOf('\n', longest); end !== -1 && end < 2 * longest; end = source.indexOf('\n', end + 1)) {
    const next = source[end + 1];
    if (next !== undefined && (fence !== null || /\S/.test(next))) return end + 1;
  }
  if (source.length < 2 * longest + 2) return null;
  const space = source.lastIndexOf(' ', 2 * longest);
  if (space > longest) return space + 1;
  return isLowSurrogate(source.charCodeAt(2 * longest)) ? 2 * longest + 1 : 2 * longest;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function cutHead(block: TopBlock, cut: number): TopBlock {
  const source = block.source.slice(0, cut);
  const text = trimEnd(source.replace(/^(?: {1,4}|\t)/gm, ''));
  return { ...block, source, fence: block.fence === null ? null : { ...block.fence, text } };
}

function lineOffsets(text: string): number[] {
  const offsets = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) offsets.push(end + 1);
  return offsets;
}

/** Returns the state of an unclosed, unindented fence. With this state, the fence can grow without another parse. */
function openFence(tail: string, block: TopBlock, tailStart: number): OpenFence | null {
  if (block.fence === null || block.fence.marker === '' || block.fence.indent) return null;
  const firstLineEnd = tail.indexOf('\n', block.from);
  if (firstLineEnd === -1) return null;
  const mark = block.fence.marker;
  const isTable = mark === '|';
  const closing = isTable ? /^\s*$/ : new RegExp(`^ {0,3}${mark.charAt(0)}{${mark.length},}[ \\t]*$`);
  const lines = tail.slice(firstLineEnd + 1).split('\n');
  const open = lines.pop() ?? '';
  if (lines.some((line) => closing.test(line)) || (!isTable && closing.test(open))) return null;
  const scanned = tailStart + firstLineEnd + 1;
  return { language: block.fence.language, from: isTable ? tailStart + block.from : scanned, scanned, closing };
}

function trimEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
