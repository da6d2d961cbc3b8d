import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { access, mkdir } from 'node:fs/promises';
import { messageOf } from '../../../utils/errors';
import { isAddress, lanceModuleIn, type LanceConnection, type LanceModule } from './lanceModule';
import type { LancePlace, LanceRequest, LanceResponse } from './lanceProtocol';
import { LanceReader } from './lanceReader';
import { LanceDimensionError, LanceTable } from './lanceTable';

/** Cache limits of LanceDB for indexes and metadata, in bytes. The default of LanceDB is 7 GB. */
const cacheBytes = [64n * 1024n * 1024n, 16n * 1024n * 1024n] as const;

/**
 * Tables in use. LanceDB runs in this separate process, because its
 * native code crashes on a CPU without AVX2 or with a broken index.
 */
const tables = new Map<string, Promise<LanceTable>>();
const readers = new Map<string, Promise<LanceReader>>();
const connections: LanceConnection[] = [];
let writing: Promise<unknown> = Promise.resolve();

class MissingModule extends Error {}

function load(): LanceModule {
  const file = lanceModuleIn(__dirname);
  if (file === null) throw new MissingModule('LanceDB is not installed');
  return createRequire(file)(file) as LanceModule;
}

async function connect(module: LanceModule, folder: string): Promise<LanceConnection> {
  const connection = await module.connect(folder, { readConsistencyInterval: 0 }, new module.Session(...cacheBytes));
  connections.push(connection);
  return connection;
}

async function open(module: LanceModule, folder: string, table: string): Promise<LanceTable> {
  await mkdir(folder, { recursive: true });
  return new LanceTable(module, await connect(module, folder), table);
}

/** Opens tables of another application. Checks first that the folder exists, because LanceDB would create a missing folder. */
function openReader(folder: string): Promise<LanceReader> {
  let opened = readers.get(folder);
  if (opened === undefined) {
    const module = load();
    const found = isAddress(folder) ? Promise.resolve() : access(folder);
    readers.set(folder, (opened = found.then(() => connect(module, folder)).then((connection) => new LanceReader(connection))));
    opened.catch(() => readers.delete(folder));
  }
  return opened;
}

function openTable({ folder, table }: LancePlace): Promise<LanceTable> {
  const key = `${folder}\0${table}`;
  let opened = tables.get(key);
  if (opened === undefined) {
    const module = load();
    tables.set(key, (opened = open(module, folder, table)));
    opened.catch(() => tables.delete(key));
  }
  return opened;
}

async function probe(folder: string): Promise<void> {
  const table = await openTable({ folder, table: `probe-${randomUUID()}` });
  const vectors = Array.from({ length: 8 }, (_, id) => ({
    id,
    vector: Float32Array.from({ length: 32 }, (_, at) => +(at === id)),
  }));
  await table.put(vectors);
  const [best] = await table.nearest(vectors[3]?.vector ?? new Float32Array(), 1);
  await table.clear();
  if (best?.id !== 3) throw new Error('LanceDB found something else than the nearest vector');
}

/** Serializes writes. Reads do not wait for writes. */
function serialized<T>(work: () => Promise<T>): Promise<T> {
  const done = writing.then(work);
  writing = done.catch(() => undefined);
  return done;
}

async function answer(request: LanceRequest): Promise<LanceResponse> {
  const { id } = request;
  switch (request.kind) {
    case 'probe':
      await serialized(() => probe(request.folder));
      return { id, kind: 'done' };
    case 'put': {
      const { place, ids, vectors } = request;
      const length = vectors.length / ids.length;
      const rows = ids.map((row, at) => ({ id: row, vector: vectors.subarray(at * length, (at + 1) * length) }));
      await serialized(async () => (await openTable(place)).put(rows));
      return { id, kind: 'done' };
    }
    case 'remove':
      await serialized(async () => (await openTable(request.place)).remove(request.ids));
      return { id, kind: 'done' };
    case 'nearest':
      return { id, kind: 'found', found: await (await openTable(request.place)).nearest(request.vector, request.limit) };
    case 'count':
      return { id, kind: 'count', count: await (await openTable(request.place)).count() };
    case 'clear':
      await serialized(async () => (await openTable(request.place)).clear());
      return { id, kind: 'done' };
    case 'tidy':
      await serialized(async () => (await openTable(request.place)).tidy());
      return { id, kind: 'done' };
    case 'rows':
      return { id, kind: 'rows', rows: await (await openReader(request.place.folder)).rows(request) };
    case 'nearestRows':
      return { id, kind: 'nearestRows', ...(await (await openReader(request.folder)).nearest(request)) };
    case 'close':
      await writing;
      for (const connection of connections) connection.close();
      return { id, kind: 'done' };
  }
}

function classifyError(error: unknown): 'dimension' | 'missing' | 'failed' {
  if (error instanceof LanceDimensionError) return 'dimension';
  return error instanceof MissingModule ? 'missing' : 'failed';
}

process.on('message', (request: LanceRequest) => {
  void answer(request)
    .catch((error: unknown): LanceResponse => ({
      id: request.id,
      kind: 'error',
      code: classifyError(error),
      message: messageOf(error),
    }))
    .then((response) => process.send?.(response, () => void (request.kind === 'close' && process.exit(0))));
});
process.on('disconnect', () => process.exit(0));
