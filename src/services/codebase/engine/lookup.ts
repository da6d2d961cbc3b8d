import type { ChunkText, FoundBy, FoundChunk, QueryMeaning, SymbolPlace } from '../codebaseProtocol';
import { findDefinitions } from './definitions';
import { plainWords, questionWords } from './identifiers';
import { linksAmong } from './importGraph';
import type { IndexStore, StoredChunk } from './indexStore';
import { fused, type Meaning } from './meaning';
import type { IndexedFiles } from './textOfFile';

const maxPerFile = 5;
/** Number of candidates per displayed result, for each search method. */
const candidatesPerResult = 10;
/** Number of top results to rerank by imports, bonus per linked file, and maximum number of links that count. */
const importBonus = { chunks: 20, link: 0.004, most: 3 };

/** Maximum length of a chunk as plain words, in characters. */
const maxPlainLength = 1_000;

export interface FoundCode<T> {
  chunks: T[];
  /** Files that have changed since they were indexed. */
  stale: Set<string>;
}

/** Reads chunks and their text. Skips files that have changed since they were indexed. */
export class Lookup {
  private readonly lines = new Map<string, string[] | null>();

  constructor(
    private readonly store: IndexStore,
    private readonly meaning: Meaning,
    private readonly files: IndexedFiles,
  ) {}

  /** Resolves with the best chunks by words and, if the query has a vector, by meaning. */
  async find(query: string, limit: number, asked?: QueryMeaning): Promise<FoundCode<FoundChunk>> {
    const words = questionWords(query);
    const most = limit * candidatesPerResult;
    const byWords = this.store.searchWords(words, most);
    const near = asked === undefined ? [] : await this.meaning.nearest(asked.model, asked.vector, most);
    const ways: [FoundBy, Set<number>][] = [
      ['words', new Set(byWords)],
      ['symbol', new Set(this.store.searchWords(words, most, 'symbols'))],
      ['path', new Set(this.store.searchWords(words, most, 'path'))],
      ['meaning', new Set(near)],
    ];
    const chunks: FoundChunk[] = [];
    const stale = new Set<string>();
    const perFile = new Map<string, number>();
    const ranked = fused({ ids: byWords, weight: 1 }, { ids: near, weight: asked?.weight ?? 0 });
    for (const id of asked?.isAlone === true ? near : this.withLinks(ranked, stale)) {
      if (chunks.length >= limit) break;
      const chunk = this.store.chunk(id);
      const count = perFile.get(chunk?.path ?? '') ?? 0;
      if (chunk === null || count >= maxPerFile) continue;
      const text = this.readChunk(chunk, stale);
      if (text === null) continue;
      const { path, first, last, symbols } = chunk;
      perFile.set(path, count + 1);
      chunks.push({ path, first, last, symbols, text, by: ways.filter(([, found]) => found.has(id)).map(([way]) => way) });
    }
    return { chunks, stale };
  }

  /** Returns IDs in rank order. Near the top, chunks of files that import each other get a bonus. */
  private withLinks(ranked: readonly { id: number; score: number }[], stale: Set<string>): number[] {
    const texts = new Map<string, string>();
    const first = ranked.slice(0, importBonus.chunks).map(({ id, score }) => {
      const path = this.store.chunk(id)?.path ?? '';
      const lines = path === '' ? null : this.readLines(path, stale);
      if (lines !== null && !texts.has(path)) texts.set(path, lines.join('\n'));
      return { id, score, path };
    });
    const links = linksAmong(texts);
    const scoreWithLinks = (one: (typeof first)[number]) =>
      one.score + importBonus.link * Math.min(importBonus.most, links.get(one.path) ?? 0);
    const sorted = first.map((one) => ({ id: one.id, score: scoreWithLinks(one) })).sort((a, b) => b.score - a.score);
    return [...sorted, ...ranked.slice(importBonus.chunks)].map(({ id }) => id);
  }

  definitions(names: readonly string[]): FoundCode<SymbolPlace[]> {
    const stale = new Set<string>();
    return { chunks: names.map((name) => findDefinitions(name, this.store, (path) => this.readLines(path, stale))), stale };
  }

  /**
   * Returns the next chunks without a vector. The path and names precede the text. If `asWords` is true, the chunks are plain
   * words, for models that were not trained on code.
   */
  toEmbed(limit: number, asWords: boolean): FoundCode<ChunkText> {
    const chunks: ChunkText[] = [];
    const stale = new Set<string>();
    for (const { id, hash } of this.meaning.missing(limit * candidatesPerResult)) {
      if (chunks.length >= limit) break;
      const chunk = this.store.chunk(id);
      const text = chunk === null ? null : this.readChunk(chunk, stale);
      if (chunk !== null && text !== null)
        chunks.push({
          id,
          hash,
          text: asWords ? plainText(chunk, text) : [chunk.path, chunk.symbols.join(' '), text].join('\n'),
        });
    }
    return { chunks, stale };
  }

  private readChunk({ path, first, last }: StoredChunk, stale: Set<string>): string | null {
    return (
      this.readLines(path, stale)
        ?.slice(first - 1, last)
        .join('\n') ?? null
    );
  }

  private readLines(path: string, stale: Set<string>): string[] | null {
    if (!this.lines.has(path)) this.lines.set(path, this.linesAsIndexed(path));
    const lines = this.lines.get(path) ?? null;
    if (lines === null) stale.add(path);
    return lines;
  }

  private linesAsIndexed(path: string): string[] | null {
    const known = this.store.file(path);
    if (known === null || this.files.isExcluded(path)) return null;
    const read = this.files.read(path);
    if (read?.text == null || !read.hash.equals(known.hash)) return null;
    return read.text.split(/\r?\n/);
  }
}

/** Returns the names, path and text of a chunk as plain words, which a prose model can compare with a question. */
function plainText({ symbols, path }: StoredChunk, text: string): string {
  return [symbols.join(' '), path.replace(/\.\w+$/, ''), text]
    .map((part) => plainWords(part))
    .join('. ')
    .slice(0, maxPlainLength);
}
