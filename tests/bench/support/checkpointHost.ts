import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineClient } from '../../../src/services/checkpoint/host/engineClient';
import { createOwner } from '../../../src/services/database/sessions/windowOwner';
import { silentLogger } from '../../../src/utils/logger';

/** Cost of checkpoints for the extension host's thread, in megabytes and milliseconds. */
export interface HostFigures {
  /** Peak memory of the process above its idle memory. */
  memory: number;
  /** Longest block of the event loop during checkpoints. `quietBlock`: during an equally long idle time. */
  block: number;
  quietBlock: number;
  /** Longest block without the time in which the thread waited for a busy CPU core, if the system reports it. */
  ownBlock: number;
}

/** Takes checkpoints in a separate process through the worker, as the extension host does. The storage is already migrated. */
export function measureHost(root: string, storage: string): HostFigures {
  const output = execFileSync(process.execPath, ['--expose-gc', '--no-warnings', __filename, root, storage], {
    encoding: 'utf8',
  });
  return JSON.parse(output) as HostFigures;
}

async function main(root: string, directory: string): Promise<void> {
  const workerPath = path.join(__dirname, '../../../src/services/checkpoint/engine/checkpointWorker.js');
  const onDamage = () => undefined;
  const engine = new EngineClient({ directory, owner: createOwner(), workerPath, logger: silentLogger, onDamage });
  const workspace = { roots: [root], exclude: [], maxFileBytes: 50_000_000 };
  // Waits until the worker and its database are ready.
  await engine.care.usage();
  await delay(300);
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  let most = idle;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const start = performance.now();
  const { block, ownBlock } = await longestBlock(async () => {
    for (const title of ['First', 'Second', 'Third']) await engine.checkpoints.takeNow('session', 'manual', title, workspace);
    await engine.approvals.status('session', workspace);
  });
  const took = performance.now() - start;
  clearInterval(watch);
  const { block: quietBlock } = await longestBlock(() => delay(took));
  await engine.dispose();
  const figures: HostFigures = { memory: (most - idle) / 1_048_576, block, quietBlock, ownBlock };
  console.log(JSON.stringify(figures));
}

async function longestBlock(work: () => Promise<unknown>): Promise<{ block: number; ownBlock: number }> {
  const resolution = 1;
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  let at = performance.now();
  let waited = waitedForCore();
  let ownBlock = 0;
  const turns = setInterval(() => {
    const now = performance.now();
    const waitedNow = waitedForCore();
    ownBlock = Math.max(ownBlock, now - at - (waitedNow - waited) - resolution);
    at = now;
    waited = waitedNow;
  }, resolution);
  await work();
  clearInterval(turns);
  histogram.disable();
  return { block: Math.max(0, histogram.max / 1e6 - resolution), ownBlock };
}

/** Returns the milliseconds that the main thread has waited for a CPU core; 0 if the system does not report them. */
function waitedForCore(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

if (require.main === module) void main(process.argv[2] ?? '', process.argv[3] ?? '');
