import { normalized, VectorError, type NearVector, type VectorRow, type VectorStore } from '../vectors/vectorStore';
import type { LanceClient } from './lanceClient';
import { LanceError } from './lanceError';
import type { LanceCall, LancePlace, LanceResponse } from './lanceProtocol';

/** Stores vectors in a LanceDB table through the LanceDB process. Rejects with `LanceError` if LanceDB cannot be used. */
export class LanceVectors implements VectorStore {
  constructor(
    private readonly client: Pick<LanceClient, 'call'>,
    private readonly place: LancePlace,
  ) {}

  async put(rows: readonly VectorRow[]): Promise<void> {
    const byId = new Map(rows.map(({ id, vector }) => [id, normalized(vector)]));
    const first = rows[0]?.vector.length;
    if (first === undefined) return;
    const vectors = new Float32Array(first * byId.size);
    for (const [at, vector] of [...byId.values()].entries()) {
      if (vector.length !== first) throw new VectorError('dimension', `A vector has ${vector.length} values and not ${first}`);
      vectors.set(vector, at * first);
    }
    await this.call({ kind: 'put', place: this.place, ids: [...byId.keys()], vectors });
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.call({ kind: 'remove', place: this.place, ids });
  }

  async nearest(query: Float32Array, limit: number): Promise<NearVector[]> {
    const answer = await this.call({ kind: 'nearest', place: this.place, vector: normalized(query), limit });
    return answer.kind === 'found' ? answer.found : [];
  }

  async count(): Promise<number> {
    const answer = await this.call({ kind: 'count', place: this.place });
    return answer.kind === 'count' ? answer.count : 0;
  }

  async clear(): Promise<void> {
    await this.call({ kind: 'clear', place: this.place });
  }

  /** Compacts small files, builds the index of a large table and removes old versions. */
  async tidy(): Promise<void> {
    await this.call({ kind: 'tidy', place: this.place });
  }

  private async call(call: LanceCall): Promise<LanceResponse> {
    try {
      return await this.client.call(call);
    } catch (error) {
      if (error instanceof LanceError && error.code === 'dimension') throw new VectorError('dimension', error.message);
      throw error;
    }
  }
}
