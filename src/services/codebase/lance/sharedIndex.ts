import type { FoundChunk } from '../codebaseProtocol';
import { normalized } from '../vectors/vectorStore';
import type { LanceClient } from './lanceClient';
import type { ForeignRow } from './lanceProtocol';
import { cutHead } from '../../../types/cutText';

/** Common column names, most likely first. */
const textColumns = ['text', 'content', 'page_content', 'chunk', 'code'];
const pathColumns = ['path', 'file_path', 'filepath', 'file', 'filename', 'source', 'uri'];
const firstColumns = ['first', 'start_line', 'startline', 'line'];
const lastColumns = ['last', 'end_line', 'endline'];
/** Name of an optional column that contains the name of the embedding model. */
const modelColumn = 'model';
/** Maximum length of a chunk, in characters. */
const maxTextLength = 4_000;

export class SharedIndexError extends Error {}

/** Searches the LanceDB tables of a team. Never writes to them. */
export class SharedIndex {
  constructor(private readonly client: Pick<LanceClient, 'call' | 'close'>) {}

  /**
   * Resolves with the nearest chunks. The vector must come from the model
   * of the tables. Rejects with `SharedIndexError` and `LanceError`.
   */
  async nearest(asked: { uri: string; model: string; vector: Float32Array; limit: number }): Promise<FoundChunk[]> {
    const { uri, model, limit } = asked;
    const answer = await this.client.call({ kind: 'nearestRows', folder: uri, vector: normalized(asked.vector), limit });
    if (answer.kind !== 'nearestRows') return [];
    if (answer.tables === null)
      throw new SharedIndexError(`No table there has vectors of ${asked.vector.length} values, as ${model} makes them`);
    const ofModel = answer.rows.filter(({ row }) => isOf(model, row[modelColumn]));
    if (ofModel.length === 0 && answer.rows.length > 0)
      throw new SharedIndexError(`It was made with another model than ${model}`);
    const chunks = ofModel.flatMap(({ row, table }) => toChunk(row, table) ?? []);
    if (chunks.length === 0 && ofModel.length > 0)
      throw new SharedIndexError(`Its rows have no text: a column has to be named ${textColumns.join(', ')}`);
    return chunks;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function isOf(model: string, named: ForeignRow[string] | undefined): boolean {
  const plain = (name: string): string => name.replace(/:latest$/, '');
  return typeof named !== 'string' || named === '' || plain(named) === plain(model);
}

function toChunk(row: ForeignRow, table: string): FoundChunk | null {
  const names = new Map(Object.keys(row).map((name) => [name.toLowerCase(), name]));
  const findValue = (columns: readonly string[]): ForeignRow[string] => {
    const name = columns.map((column) => names.get(column)).find((found) => found !== undefined && row[found] !== null);
    return name === undefined ? null : (row[name] ?? null);
  };
  const text = findValue(textColumns);
  if (typeof text !== 'string' || text.trim() === '') return null;
  const path = findValue(pathColumns);
  const first = toLine(findValue(firstColumns)) ?? 1;
  const last = toLine(findValue(lastColumns)) ?? first + text.split('\n').length - 1;
  const place = typeof path === 'string' && path !== '' ? path : table;
  return {
    path: place.slice(0, 1_000),
    first,
    last: Math.max(first, last),
    symbols: [],
    text: cutHead(text, maxTextLength),
    by: ['meaning'],
  };
}

function toLine(value: ForeignRow[string]): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}
