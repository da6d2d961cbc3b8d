import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openSqlite } from '../../src/services/database/sqlite/sqlite';
import { LanceClient } from '../../src/services/codebase/lance/lanceClient';
import { lanceModuleIn } from '../../src/services/codebase/lance/lanceModule';
import { LanceVectors } from '../../src/services/codebase/lance/lanceVectors';
import { ScanVectors } from '../../src/services/codebase/vectors/scanVectors';
import { normalized } from '../../src/services/codebase/vectors/vectorStore';
import { folderSize } from '../../src/utils/files/folderSize';
import { isOnce, large, percentile, report } from './support/figures';

/**
 * Measures the built-in vector store with 100,000 vectors: query time and recall, memory, disk, build and open, compared with an exact
 * scan. If LanceDB is installed, measures it on the same vectors, in a separate process as in the product.
 */

const count = large(100_000);
const queries = large(60);
const limit = 10;

async function main(): Promise<void> {
  for (const dimension of [384, 768]) await measure(dimension);
}

async function measure(dimension: number): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  const file = path.join(directory, 'vectors.sqlite');
  try {
    const all = vectors(count, dimension);
    const database = openSqlite(file);
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, bytes BLOB NOT NULL)',
    );
    const store = new ScanVectors(database);
    const begun = performance.now();
    for (let from = 0; from < count; from += 1_000)
      await store.put(
        Array.from({ length: 1_000 }, (_, index) => ({ id: from + index, vector: row(all, dimension, from + index) })),
      );
    const built = performance.now() - begun;
    database.close();
    global.gc?.();
    const before = process.memoryUsage();
    const again = openSqlite(file);
    const reopened = performance.now();
    const fresh = new ScanVectors(again);
    await fresh.nearest(row(all, dimension, 0), limit);
    const opening = performance.now() - reopened;
    global.gc?.();
    const after = process.memoryUsage();
    const memory = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    const own: number[] = [];
    const exact: number[] = [];
    let hits = 0;
    for (let query = 0; query < queries; query += 1) {
      const sought = near(all, dimension, query);
      const first = performance.now();
      const found = await fresh.nearest(sought, limit);
      const second = performance.now();
      const best = new Set(exactly(all, dimension, normalized(sought)));
      const third = performance.now();
      if (query < 10) continue;
      own.push(second - first);
      exact.push(third - second);
      hits += found.filter(({ id }) => best.has(id)).length;
    }
    const what = `100,000 × ${dimension}`;
    report('vectors', `query p50, ${what}`, 'ms', percentile(own, 0.5), percentile(exact, 0.5), 'value ≤ 50');
    report('vectors', `query p95, ${what}`, 'ms', percentile(own, 0.95), percentile(exact, 0.95), 'value ≤ 50');
    report('vectors', `recall@10, ${what}`, '', hits / (queries - 10) / limit, 1, 'value ≥ 0.95');
    report('vectors', `memory, ${what}`, 'MB', memory / 1e6, all.byteLength / 1e6, 'value ≤ 150');
    report('vectors', `disk, ${what}`, 'MB', statSync(file).size / 1e6, all.byteLength / 1e6, 'none');
    report('vectors', `build, ${what}`, 'ms', built, percentile(exact, 0.5), 'none');
    report('vectors', `open and ask, ${what}`, 'ms', opening, percentile(exact, 0.5), 'none');
    again.close();
    const builtIn = { p50: percentile(own, 0.5), p95: percentile(own, 0.95), disk: statSync(file).size, built, opening, memory };
    if (lanceModuleIn(__dirname) !== null) await measureLance(path.join(directory, 'lance'), all, dimension, builtIn);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const processFile = path.join(__dirname, '../../src/services/codebase/lance/lanceProcess.js');

/** Measures LanceDB on the same vectors, for comparison with the built-in store. */
async function measureLance(
  folder: string,
  all: Float32Array,
  dimension: number,
  builtIn: Record<'p50' | 'p95' | 'disk' | 'built' | 'opening' | 'memory', number>,
): Promise<void> {
  const what = `100,000 × ${dimension}`;
  const say = (name: string, unit: string, value: number, beside: number): void =>
    report('vectors', `LanceDB: ${name}, ${what}`, unit, value, beside, 'none');
  const place = { folder, table: 'vectors' };
  const writer = new LanceClient(processFile);
  const begun = performance.now();
  const written = new LanceVectors(writer, place);
  for (let from = 0; from < count; from += 4_000)
    await written.put(
      Array.from({ length: Math.min(4_000, count - from) }, (_, index) => ({
        id: from + index,
        vector: row(all, dimension, from + index),
      })),
    );
  await written.tidy();
  say('build, with its index', 'ms', performance.now() - begun, builtIn.built);
  say('memory while it builds', 'MB', memoryOf(writer) / 1e6, builtIn.memory / 1e6);
  await writer.close();
  const reader = new LanceClient(processFile);
  const store = new LanceVectors(reader, place);
  const reopened = performance.now();
  await store.nearest(row(all, dimension, 0), limit);
  say('open and ask, with its process', 'ms', performance.now() - reopened, builtIn.opening);
  const times: number[] = [];
  let hits = 0;
  for (let query = 0; query < queries; query += 1) {
    const sought = near(all, dimension, query);
    const first = performance.now();
    const found = await store.nearest(sought, limit);
    const second = performance.now();
    if (query < 10) continue;
    times.push(second - first);
    const best = new Set(exactly(all, dimension, normalized(sought)));
    hits += found.filter(({ id }) => best.has(id)).length;
  }
  say('query p50', 'ms', percentile(times, 0.5), builtIn.p50);
  say('query p95', 'ms', percentile(times, 0.95), builtIn.p95);
  say('recall@10', '', hits / (queries - 10) / limit, 1);
  say('memory while it is asked', 'MB', memoryOf(reader) / 1e6, builtIn.memory / 1e6);
  say('disk after building', 'MB', (await folderSize(folder)) / 1e6, builtIn.disk / 1e6);
  // Old versions are removed once no reader can be using them. A short round does not wait for that.
  if (!isOnce) await setTimeout(61_000);
  await store.put([{ id: count, vector: row(all, dimension, 0) }]);
  await store.tidy();
  say('disk', 'MB', (await folderSize(folder)) / 1e6, builtIn.disk / 1e6);
  await reader.close();
}

/** Returns the resident memory of the process in bytes; 0 if the system does not report it. */
function memoryOf({ pid }: LanceClient): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Returns clustered vectors, like those of texts. */
function vectors(amount: number, dimension: number): Float32Array {
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const gauss = (): number => next() + next() + next();
  const groups = large(2_000);
  const centres = Float32Array.from({ length: groups * dimension }, gauss);
  const all = new Float32Array(amount * dimension);
  for (let at = 0; at < all.length; at += 1) {
    const group = Math.floor(at / dimension) % groups;
    all[at] = (centres[group * dimension + (at % dimension)] ?? 0) + gauss();
  }
  return all;
}

function row(all: Float32Array, dimension: number, index: number): Float32Array {
  return all.subarray(index * dimension, (index + 1) * dimension);
}

/** Returns a query between two vectors of the same cluster. */
function near(all: Float32Array, dimension: number, query: number): Float32Array {
  const one = row(all, dimension, query * 7);
  const other = row(all, dimension, query * 7 + large(2_000));
  return one.map((value, index) => value + (other[index] ?? 0));
}

function exactly(all: Float32Array, dimension: number, query: Float32Array): number[] {
  const best: { id: number; similarity: number }[] = [];
  for (let id = 0; id < count; id += 1) {
    let product = 0;
    let square = 0;
    for (let index = 0, at = id * dimension; index < dimension; index += 1, at += 1) {
      const value = all[at] as number;
      product += value * (query[index] as number);
      square += value * value;
    }
    const similarity = product / Math.sqrt(square);
    if (best.length < limit || similarity > (best.at(-1)?.similarity ?? 0)) {
      best.push({ id, similarity });
      best.sort((a, b) => b.similarity - a.similarity);
      best.length = Math.min(best.length, limit);
    }
  }
  return best.map(({ id }) => id);
}

void main();
