import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { CodebaseRequest, CodebaseResponse, CodebaseWorkerData, IndexedRoot } from './codebaseProtocol';
import { toIndexError, indexFilePath } from './engine/indexFile';
import { RootIndex } from './engine/rootIndex';
import { openLance, openShared, type LanceStore, type LanceTables, type SharedIndex } from './lance/port';
import { MessageIndex } from './messages/messageIndex';
import type { MessagePlace } from './messages/messageProtocol';

const { directory, lanceFolder } = workerData as CodebaseWorkerData;
const roots = new Map<string, Promise<RootIndex>>();
let lance: Promise<LanceStore> | null = null;
let messages: Promise<MessageIndex> | null = null;
let shared: Promise<SharedIndex> | null = null;

async function openTables(name: string): Promise<LanceTables | null> {
  if (lanceFolder === undefined) return null;
  return (await (lance ??= openLance(lanceFolder))).of(name);
}

function openIndex(root: IndexedRoot): Promise<RootIndex> {
  let index = roots.get(root.folder);
  if (index !== undefined) return index;
  const file = indexFilePath(directory, root.folder);
  index = openTables(`code-${basename(file, '.sqlite')}`).then((tables) => new RootIndex(file, root, tables));
  roots.set(root.folder, index);
  return index;
}

async function messagesAt(place: MessagePlace): Promise<MessageIndex> {
  return new MessageIndex(place, await openTables('messages'));
}

async function describeState({ id, root }: { id: number; root: IndexedRoot }): Promise<CodebaseResponse> {
  return { id, kind: 'state', state: await (await openIndex(root)).state() };
}

async function answer(request: CodebaseRequest): Promise<CodebaseResponse> {
  const { id } = request;
  switch (request.kind) {
    case 'sync':
      await (await openIndex(request.root)).sync(request.root);
      return describeState(request);
    case 'touch':
      await (await openIndex(request.root)).touch(request.root, request.paths);
      return { id, kind: 'done' };
    case 'search': {
      const index = await openIndex(request.root);
      const chunks = await index.search(request.root, request.query, request.limit, request.meaning);
      return { id, kind: 'found', chunks, state: await index.state() };
    }
    case 'symbols':
      return { id, kind: 'places', places: await (await openIndex(request.root)).definitions(request.root, request.names) };
    case 'state':
      return describeState(request);
    case 'toEmbed':
      return {
        id,
        kind: 'texts',
        chunks: await (await openIndex(request.root)).toEmbed(request.root, request.model, request.limit, request.asWords),
      };
    case 'putVectors':
      return { id, kind: 'put', isCleared: await (await openIndex(request.root)).putVectors(request.model, request.chunks) };
    case 'settle':
      await (await openIndex(request.root)).settled();
      return describeState(request);
    case 'recreate':
      await (await openIndex(request.root)).recreate(request.root);
      return { id, kind: 'done' };
    case 'remove':
      await (await openIndex(request.root)).remove();
      return { id, kind: 'done' };
    case 'messages': {
      const index = await (messages ??= messagesAt(request.place));
      await index.choose(request.place.isLance === true);
      return { id, kind: 'messages', answer: await index.work(request.work) };
    }
    case 'shared':
      return { id, kind: 'shared', chunks: await (await (shared ??= openShared())).nearest(request) };
    case 'close':
      await (await shared)?.close();
      await (await messages)?.close();
      await Promise.all([...roots.values()].map(async (index) => (await index).close()));
      await (await lance)?.close();
      return { id, kind: 'done' };
  }
}

parentPort?.on('message', (request: CodebaseRequest) => {
  void answer(request)
    .catch((error: unknown): CodebaseResponse => {
      const { code, message } = toIndexError(error);
      return { id: request.id, kind: 'error', code, message };
    })
    .then((response) => {
      parentPort?.postMessage(response);
      if (request.kind === 'close') parentPort?.close();
    });
});
