import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { CodebaseRequest, CodebaseResponse, CodebaseWorkerData, IndexedRoot } from './codebaseProtocol';
import { indexErrorOf, indexFileOf } from './engine/indexFile';
import { RootIndex } from './engine/rootIndex';
import { openLance, openShared, type LanceStore, type LanceTables, type SharedIndex } from './lance/port';
import { MessageIndex } from './messages/messageIndex';
import type { MessagePlace } from './messages/messageProtocol';

const { directory, lanceFolder } = workerData as CodebaseWorkerData;
const roots = new Map<string, Promise<RootIndex>>();
let lance: Promise<LanceStore> | null = null;
let messages: Promise<MessageIndex> | null = null;
let shared: Promise<SharedIndex> | null = null;

async function tablesOf(name: string): Promise<LanceTables | null> {
  if (lanceFolder === undefined) return null;
  return (await (lance ??= openLance(lanceFolder))).of(name);
}

function indexOf(root: IndexedRoot): Promise<RootIndex> {
  let index = roots.get(root.folder);
  if (index !== undefined) return index;
  const file = indexFileOf(directory, root.folder);
  index = tablesOf(`code-${basename(file, '.sqlite')}`).then((tables) => new RootIndex(file, root, tables));
  roots.set(root.folder, index);
  return index;
}

async function messagesAt(place: MessagePlace): Promise<MessageIndex> {
  return new MessageIndex(place, await tablesOf('messages'));
}

async function stateOf({ id, root }: { id: number; root: IndexedRoot }): Promise<CodebaseResponse> {
  return { id, kind: 'state', state: await (await indexOf(root)).state() };
}

async function answer(request: CodebaseRequest): Promise<CodebaseResponse> {
  const { id } = request;
  switch (request.kind) {
    case 'sync':
      await (await indexOf(request.root)).sync(request.root);
      return stateOf(request);
    case 'touch':
      await (await indexOf(request.root)).touch(request.root, request.paths);
      return { id, kind: 'done' };
    case 'search': {
      const index = await indexOf(request.root);
      const chunks = await index.search(request.root, request.query, request.limit, request.meaning);
      return { id, kind: 'found', chunks, state: await index.state() };
    }
    case 'symbols':
      return { id, kind: 'places', places: await (await indexOf(request.root)).definitions(request.root, request.names) };
    case 'state':
      return stateOf(request);
    case 'toEmbed':
      return {
        id,
        kind: 'texts',
        chunks: await (await indexOf(request.root)).toEmbed(request.root, request.model, request.limit, request.asWords),
      };
    case 'putVectors':
      return { id, kind: 'put', isCleared: await (await indexOf(request.root)).putVectors(request.model, request.chunks) };
    case 'settle':
      await (await indexOf(request.root)).settled();
      return stateOf(request);
    case 'recreate':
      await (await indexOf(request.root)).recreate(request.root);
      return { id, kind: 'done' };
    case 'remove':
      await (await indexOf(request.root)).remove();
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
      const { code, message } = indexErrorOf(error);
      return { id: request.id, kind: 'error', code, message };
    })
    .then((response) => {
      parentPort?.postMessage(response);
      if (request.kind === 'close') parentPort?.close();
    });
});
