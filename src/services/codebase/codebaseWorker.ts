import { basename, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { CodebaseRequest, CodebaseResponse, CodebaseWorkerData, IndexedRoot } from './codebaseProtocol';
import { indexErrorOf, indexFileOf } from './engine/indexFile';
import { RootIndex } from './engine/rootIndex';
import { MessageIndex } from './messages/messageIndex';
import { LanceClient } from './vectors/lance/lanceClient';
import { SharedIndex } from './vectors/lance/sharedIndex';
import { LanceLink } from './vectors/lance/lanceLink';

const { directory, lanceFolder } = workerData as CodebaseWorkerData;
const lance = lanceFolder === undefined ? null : new LanceLink(new LanceClient(join(__dirname, 'lanceProcess.js')), lanceFolder);
const roots = new Map<string, RootIndex>();
let messages: MessageIndex | null = null;
let shared: SharedIndex | null = null;

function indexOf(root: IndexedRoot): RootIndex {
  let index = roots.get(root.folder);
  if (index !== undefined) return index;
  const file = indexFileOf(directory, root.folder);
  index = new RootIndex(file, root, lance?.of(`code-${basename(file, '.sqlite')}`));
  roots.set(root.folder, index);
  return index;
}

async function stateOf({ id, root }: { id: number; root: IndexedRoot }): Promise<CodebaseResponse> {
  return { id, kind: 'state', state: await indexOf(root).state() };
}

async function answer(request: CodebaseRequest): Promise<CodebaseResponse> {
  const { id } = request;
  switch (request.kind) {
    case 'sync':
      await indexOf(request.root).sync(request.root);
      return stateOf(request);
    case 'touch':
      await indexOf(request.root).touch(request.root, request.paths);
      return { id, kind: 'done' };
    case 'search': {
      const index = indexOf(request.root);
      const chunks = await index.search(request.root, request.query, request.limit, request.meaning);
      return { id, kind: 'found', chunks, state: await index.state() };
    }
    case 'symbols':
      return { id, kind: 'places', places: await indexOf(request.root).definitions(request.root, request.names) };
    case 'state':
      return stateOf(request);
    case 'toEmbed':
      return {
        id,
        kind: 'texts',
        chunks: await indexOf(request.root).toEmbed(request.root, request.model, request.limit, request.asWords),
      };
    case 'putVectors':
      return { id, kind: 'put', isCleared: await indexOf(request.root).putVectors(request.model, request.chunks) };
    case 'settle':
      await indexOf(request.root).settled();
      return stateOf(request);
    case 'recreate':
      await indexOf(request.root).recreate(request.root);
      return { id, kind: 'done' };
    case 'remove':
      await indexOf(request.root).remove();
      return { id, kind: 'done' };
    case 'messages':
      messages ??= new MessageIndex(request.place, lance?.of('messages'));
      await messages.choose(request.place.isLance === true);
      return { id, kind: 'messages', answer: await messages.work(request.work) };
    case 'shared':
      // Has a process of its own: a share that hangs or a table that ends the process harms no index of this machine.
      shared ??= new SharedIndex(new LanceClient(join(__dirname, 'lanceProcess.js')));
      return { id, kind: 'shared', chunks: await shared.nearest(request) };
    case 'close':
      await shared?.close();
      await messages?.close();
      await Promise.all([...roots.values()].map((index) => index.close()));
      await lance?.close();
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
