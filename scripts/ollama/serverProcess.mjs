import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, closeSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { Problem } from '../lib/console.mjs';
import { cacheRoot } from '../lib/paths.mjs';

const readyMs = 60_000;
const graceMs = 10_000;

/**
 * Starts `ollama serve` on a models folder that no other server uses. Resolves when the server responds.
 * `stop` ends only this process. The log is `ollama-server.log` in the cache.
 */
export async function startServer({ binary, models, port = 0 }) {
  const chosen = port || (await freePort());
  const address = `127.0.0.1:${chosen}`;
  const log = path.join(cacheRoot, `ollama-server.log`);
  const home = path.join(cacheRoot, 'ollama-home');
  mkdirSync(home, { recursive: true });
  const file = openSync(log, 'w');
  const child = spawn(binary, ['serve'], { env: serverEnvironment({ address, models, home }), stdio: ['ignore', file, file] });
  closeSync(file);
  const exited = new Promise((resolve) => child.once('close', resolve));
  const failed = once(child, 'error').then(([error]) => error.message);
  const endChild = () => child.kill();
  process.once('exit', endChild);
  const stop = async () => {
    process.off('exit', endChild);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const insist = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await exited;
    clearTimeout(insist);
  };
  const url = `http://${address}`;
  const end = await Promise.race([answers(url), exited.then(() => 'it ended'), failed]);
  if (end !== undefined) {
    await stop();
    throw new Problem(`${readFileSync(log, 'utf8').slice(-4000)}\nThe Ollama server did not start: ${end}.`);
  }
  return { url, pid: child.pid, log, stop };
}

/** Returns undefined if the server responds in time, otherwise the problem. */
async function answers(url) {
  const deadline = Date.now() + readyMs;
  while (Date.now() < deadline) {
    const response = await fetch(`${url}/api/version`).catch(() => undefined);
    if (response?.ok) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return `no answer within ${readyMs / 1000} s`;
}

/** Returns an environment without the user's Ollama settings and with a separate home folder, because a server writes its key there. */
function serverEnvironment({ address, models, home }) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('OLLAMA_'));
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    OLLAMA_HOST: address,
    OLLAMA_MODELS: models,
    OLLAMA_KEEP_ALIVE: '10m',
    OLLAMA_NOPRUNE: '1',
    OLLAMA_NO_CLOUD: '1',
  };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
