import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { main, note } from '../lib/console.mjs';
import { ensureOllama } from './buildOllama.mjs';
import { modelNames } from './layout.mjs';
import { ensureModels, modelsOf } from './makeModels.mjs';
import { startServer } from './serverProcess.mjs';

/** Starts a real Ollama with the tiny models, which are built first if necessary. `stop` ends it. */
export async function startOllama({ port = 0 } = {}) {
  const binary = await ensureOllama();
  const folder = await ensureModels();
  const { url, stop } = await startServer({ binary, models: modelsOf(folder), port });
  return { url, models: modelNames, stop };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
    const server = await startOllama({ port: Number(values.port) });
    note(`Ollama answers at ${server.url} with ${server.models.join(', ')}. Ctrl-C ends it.`);
    await new Promise((resolve) => ['SIGINT', 'SIGTERM'].forEach((signal) => process.once(signal, resolve)));
    await server.stop();
  });
}
