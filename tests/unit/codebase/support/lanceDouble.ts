import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LanceError } from '../../../../src/services/codebase/lance/lanceError';
import type { LanceCall, LancePlace, LanceResponse } from '../../../../src/services/codebase/lance/lanceProtocol';

/** Double of the LanceDB process that does not need the module: tables in memory, each with a folder on disk. */
export class LanceDouble {
  readonly tables = new Map<string, Map<number, Float32Array>>();
  readonly calls: LanceCall['kind'][] = [];
  /** Returns the error that a call fails with, or null. */
  fail: (call: LanceCall) => LanceError | null = () => null;
  isGivenUp = false;
  closings = 0;

  async call(call: LanceCall): Promise<LanceResponse> {
    this.calls.push(call.kind);
    const error = this.fail(call);
    if (error !== null) throw error;
    const id = 1;
    switch (call.kind) {
      case 'put': {
        const length = call.vectors.length / call.ids.length;
        const table = this.table(call.place) ?? this.make(call.place);
        const known = [...table.values()][0]?.length ?? length;
        if (known !== length) throw new LanceError('dimension', 'Another length');
        for (const [at, row] of call.ids.entries()) table.set(row, call.vectors.slice(at * length, (at + 1) * length));
        return { id, kind: 'done' };
      }
      case 'remove':
        for (const row of call.ids) this.table(call.place)?.delete(row);
        return { id, kind: 'done' };
      case 'nearest': {
        const found = [...(this.table(call.place) ?? [])].map(([row, vector]) => ({
          id: row,
          similarity: product(vector, call.vector),
        }));
        return { id, kind: 'found', found: found.sort((a, b) => b.similarity - a.similarity).slice(0, call.limit) };
      }
      case 'count':
        return { id, kind: 'count', count: this.table(call.place)?.size ?? 0 };
      case 'clear':
        this.tables.delete(call.place.table);
        return { id, kind: 'done' };
      default:
        return { id, kind: 'done' };
    }
  }

  close(): Promise<void> {
    this.closings += 1;
    return Promise.resolve();
  }

  private table({ folder, table }: LancePlace): Map<number, Float32Array> | undefined {
    if (!existsSync(path.join(folder, `${table}.lance`))) this.tables.delete(table);
    return this.tables.get(table);
  }

  private make({ folder, table }: LancePlace): Map<number, Float32Array> {
    const made = new Map<number, Float32Array>();
    rmSync(path.join(folder, `${table}.lance`), { recursive: true, force: true });
    mkdirSync(path.join(folder, `${table}.lance`), { recursive: true });
    this.tables.set(table, made);
    return made;
  }
}

function product(one: Float32Array, other: Float32Array): number {
  const length = Math.hypot(...one) * Math.hypot(...other);
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0) / length;
}
