import type { ChunkText, FoundBy, FoundChunk, QueryMeaning } from '../codebaseProtocol';
import { questionWords } from './identifiers';
import type { IndexStore, StoredChunk } from './indexStore';
import { fused, type Meaning } from './meaning';
import type { IndexedFiles } from './textOfFile';

/** Chunks of one file among the results. */
const mostOfOneFile = 3;
/** Chunks that each way of finding may name for one that is shown. */
const deeper = 5;

export interface Found<T> {
  chunks: T[];
  /** Files that are no longer what was indexed. */
  stale: Set<string>;
}

/** Reads chunks of an index together with their text, each only where its file is still what was indexed. */
export class Lookup {
  private readonly lines = new Map<string, string[] | null>();

  constructor(
    private readonly store: IndexStore,
    private readonly meaning: Meaning,
    private readonly files: IndexedFiles,
  ) {}

  /** Resolves with the best chunks by words and, where there is a vector of the query, by meaning. */
  async find(query: string, limit: number, asked?: QueryMeaning): Promise<Found<FoundChunk>> {
    const words = questionWords(query);
    const most = limit * deeper;
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
    for (const id of asked?.isAlone === true ? near : near.length === 0 ? byWords : fused(byWords, near)) {
      if (chunks.length >= limit) break;
      const chunk = this.store.chunk(id);
      const count = perFile.get(chunk?.path ?? '') ?? 0;
      if (chunk === null || count >= mostOfOneFile) continue;
      const text = this.textOf(chunk, stale);
      if (text === null) continue;
      const { path, first, last, symbols } = chunk;
      perFile.set(path, count + 1);
      chunks.push({ path, first, last, symbols, text, by: ways.filter(([, found]) => found.has(id)).map(([way]) => way) });
    }
    return { chunks, stale };
  }

  /** Returns the next chunks without a vector, with their path and names before their text. */
  toEmbed(limit: number): Found<ChunkText> {
    const chunks: ChunkText[] = [];
    const stale = new Set<string>();
    for (const { id, hash } of this.meaning.missing(limit * deeper)) {
      if (chunks.length >= limit) break;
      const chunk = this.store.chunk(id);
      const text = chunk === null ? null : this.textOf(chunk, stale);
      if (chunk !== null && text !== null)
        chunks.push({ id, hash, text: [chunk.path, chunk.symbols.join(' '), text].join('\n') });
    }
    return { chunks, stale };
  }

  private textOf({ path, first, last }: StoredChunk, stale: Set<string>): string | null {
    if (!this.lines.has(path)) this.lines.set(path, this.linesAsIndexed(path));
    const lines = this.lines.get(path) ?? null;
    if (lines === null) stale.add(path);
    return lines?.slice(first - 1, last).join('\n') ?? null;
  }

  private linesAsIndexed(path: string): string[] | null {
    const known = this.store.file(path);
    if (known === null || this.files.isLeftOut(path)) return null;
    const read = this.files.read(path);
    if (read?.text == null || !read.hash.equals(known.hash)) return null;
    return read.text.split(/\r?\n/);
  }
}
