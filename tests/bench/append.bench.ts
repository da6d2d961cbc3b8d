import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { databaseFileName } from '../../src/services/database/databaseFile';
import { interleaved, median, percentile, report } from './support/figures';
import { input, openService, prefill } from './support/history';

/**
 * One durable append through the product's log, against writing as many bytes as it does to a growing file with one `fdatasync`,
 * in turns, at several lengths of the history.
 */

const rounds = 400;
const small = 40;

async function measure(messages: number): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  const bare = openSync(path.join(directory, 'bare'), 'w');
  try {
    const sessionId = await prefill(directory, messages);
    const service = openService(directory);
    await service.initialize();
    const append = () => service.log.append(sessionId, input);
    const bytes = await bytesOf(append, path.join(directory, `${databaseFileName}-wal`));
    const sync = (round: number) => {
      writeSync(bare, Buffer.alloc(bytes, round));
      fdatasyncSync(bare);
    };
    const [appends = [], syncs = []] = await interleaved(rounds, [append, sync]);
    await service.dispose();
    const name = `${messages.toLocaleString('en')} entries`;
    report('append', `p50 at ${name}`, 'ms', median(appends), median(syncs), 'ratio ≤ 1.5');
    report('append', `p95 at ${name}`, 'ms', percentile(appends, 0.95), percentile(syncs, 0.95), 'ratio ≤ 1.5');
  } finally {
    closeSync(bare);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** How far the write-ahead log grows by one append. */
async function bytesOf(append: () => Promise<unknown>, log: string): Promise<number> {
  const sizes: number[] = [];
  for (let index = 0; index < small; index += 1) {
    const before = statSync(log).size;
    await append();
    sizes.push(statSync(log).size - before);
  }
  return median(sizes.filter((size) => size > 0));
}

async function main(): Promise<void> {
  for (const messages of [1_000, 10_000, 100_000]) await measure(messages);
}

void main();
