import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Codebase } from '../../src/services/codebase/codebase';
import { Embedder } from '../../src/services/codebase/embedding/embedder';
import { OllamaClient } from '../../src/services/model/client/ollamaClient';
import { ServerArbiter } from '../../src/services/model/serverArbiter';
import { systemClock } from '../../src/utils/clock';
import { silentLogger } from '../../src/utils/logger';
import { RealServer } from '../support/ollama/realServer';
import { many, median, percentile, report } from './support/figures';
import { writeTree } from './support/workspaceTree';

/**
 * Measures by how much embedding a workspace delays a chat's first token, compared
 * with one embedding batch. Uses the real Ollama server in `OLLAMA_HOST`.
 */

const workerPath = path.join(__dirname, '../../src/services/codebase/codebaseWorker.js');
const chatModel = 'oc-chat:latest';
const embeddingModel = 'oc-embed:latest';
const rounds = many(20);

async function main(server: RealServer): Promise<void> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-')));
  const folder = path.join(root, 'workspace');
  mkdirSync(folder);
  writeTree(folder, 400);
  const arbiter = new ServerArbiter();
  const batches: number[] = [];
  const client = new OllamaClient({
    baseUrl: () => server.baseUrl,
    token: () => Promise.resolve(undefined),
    clock: systemClock,
    logger: silentLogger,
  });
  const timed: Pick<OllamaClient, 'embed'> = {
    embed: async (...args) => {
      const begun = performance.now();
      const answer = await client.embed(...args);
      batches.push(performance.now() - begun);
      return answer;
    },
  };
  const facts = { size: 1, family: null, parameterSize: null, quantization: null, contextLength: 256, stop: [], enabled: true };
  const capabilities = { chat: false, fim: false, tools: false, vision: false, embedding: true, thinking: false };
  const model = { ...facts, capabilities, name: embeddingModel, digest: 'd' };
  const codebase = new Codebase({
    workerPath,
    directory: path.join(root, 'codebase'),
    clock: systemClock,
    logger: silentLogger,
    roots: () => Promise.resolve([{ real: folder, shown: folder, exists: true, prefix: '' }]),
    config: () => ({ isEnabled: true, maxBytes: 10e9, sensitive: {} }),
    embedder: new Embedder(
      timed,
      { list: () => Promise.resolve({ models: [model], stale: false, fetchedAt: null }) },
      () => model.name,
    ),
    arbiter,
  });
  /** Behaves like a chat: from sending to the answer, no new embedding batch starts. */
  const firstToken = async (): Promise<number> => {
    arbiter.trackRun({ sessionId: 's', state: 'running' }, () => Promise.resolve(chatModel));
    const time = await server.timeToAnswer(chatModel, 2_048);
    arbiter.trackRun({ sessionId: 's', state: 'idle' }, () => Promise.resolve(chatModel));
    return time;
  };
  try {
    await firstToken();
    const alone: number[] = [];
    for (let round = 0; round < rounds; round += 1) alone.push(await firstToken());
    await codebase.settled();
    const embedding = codebase.embed();
    while (batches.length < 3) await systemClock.sleep(20);
    const beside: number[] = [];
    for (let round = 0; round < rounds && arbiter.mustWait('messageIndex'); round += 1) {
      // Starts at varying points within a batch.
      await systemClock.sleep(median(batches) * (1 + (round % 5) / 5) + 300);
      beside.push(await firstToken());
    }
    codebase.pause(true);
    report('indexing', 'one embedding batch', 'ms', median(batches), percentile(batches, 0.95), 'none');
    report('indexing', 'first token, p50, while embedding', 'ms', median(beside), median(alone), 'none');
    report('indexing', 'first token, p95, while embedding', 'ms', percentile(beside, 0.95), percentile(alone, 0.95), 'none');
    const later = Math.max(...beside) - median(alone);
    report('indexing', 'the latest of them, later by', 'ms', later, Math.max(...batches), 'ratio ≤ 1');
    await codebase.dispose();
    await embedding.catch(() => undefined);
  } finally {
    await codebase.dispose();
    rmSync(root, { recursive: true, force: true });
  }
}

const named = RealServer.named();
if (named === undefined)
  process.stderr.write('indexing: set OLLAMA_HOST to a server with the tiny models (docs/testing-with-ollama.md)\n');
else void main(named);
