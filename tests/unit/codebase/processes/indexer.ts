import path from 'node:path';
import { Codebase } from '../../../../src/services/codebase/codebase';
import { Embedder } from '../../../../src/services/codebase/embedding/embedder';
import { ServerArbiter } from '../../../../src/services/model/serverArbiter';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';

/** Indexes a folder repeatedly until the process is killed. */
async function main(): Promise<void> {
  const [folder = '', directory = ''] = process.argv.slice(2);
  const embed = async (model: string, input: string[]) => ({ model, embeddings: input.map((text) => [text.length, 1, 2, 3]) });
  const info = {
    name: 'embed',
    digest: 'd',
    size: 1,
    family: null,
    parameterSize: null,
    quantization: null,
    contextLength: 512,
  };
  const capabilities = { chat: false, fim: false, tools: false, vision: false, embedding: true, thinking: false };
  const models = {
    list: async () => ({ models: [{ ...info, capabilities, stop: [], enabled: true }], stale: false, fetchedAt: 1 }),
  };
  const codebase = new Codebase({
    workerPath: path.join(__dirname, '../../../../src/services/codebase/codebaseWorker.js'),
    directory,
    roots: async () => [{ real: folder, shown: folder, exists: true, prefix: '' }],
    config: () => ({ isEnabled: true, maxBytes: 1e9, sensitive: {} }),
    embedder: new Embedder({ embed }, models, () => 'embed'),
    arbiter: new ServerArbiter(),
    clock: systemClock,
    logger: silentLogger,
  });
  process.stdout.write('started\n');
  for (;;) {
    await codebase.settled();
    await codebase.embed();
    await codebase.recreate();
  }
}

void main();
