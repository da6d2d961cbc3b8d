import path from 'node:path';
import { Embedder } from '../../../../src/services/codebase/embedding/embedder';
import { MessageSearch } from '../../../../src/services/codebase/messages/messageSearch';
import { ServerArbiter } from '../../../../src/services/model/serverArbiter';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';

/** Returns a search over the conversations in a storage. It embeds without a server. */
export function openMessages(directory: string): MessageSearch {
  const embed = async (model: string, input: string[]) => ({ model, embeddings: input.map((text) => [text.length, 1, 2, 3]) });
  const info = { name: 'embed', digest: 'd', size: 1, family: null, parameterSize: null, quantization: null };
  const capabilities = { chat: false, fim: false, tools: false, vision: false, embedding: true, thinking: false };
  const all = [{ ...info, contextLength: 512, capabilities, stop: [], enabled: true }];
  return new MessageSearch({
    workerPath: path.join(__dirname, '../../../../src/services/codebase/codebaseWorker.js'),
    directory,
    isReadOnly: false,
    arbiter: new ServerArbiter(),
    clock: systemClock,
    logger: silentLogger,
    keyword: async () => ({ found: [] }),
    embedder: new Embedder({ embed }, { list: async () => ({ models: all, stale: false, fetchedAt: 1 }) }, () => 'embed'),
  });
}

/** Embeds the conversations repeatedly until the process is killed. */
async function main(directory: string): Promise<void> {
  const messages = openMessages(directory);
  process.stdout.write('started\n');
  for (;;) {
    await messages.indexMessages();
    await messages.recreateSearchTable();
  }
}

if (require.main === module) void main(process.argv[2] ?? '');
