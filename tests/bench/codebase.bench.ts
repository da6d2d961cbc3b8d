import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Codebase } from '../../src/services/codebase/codebase';
import { Embedder } from '../../src/services/codebase/embedding/embedder';
import { ServerArbiter } from '../../src/services/model/serverArbiter';
import { systemClock } from '../../src/utils/clock';
import { silentLogger } from '../../src/utils/logger';
import { interleaved, large, median, report } from './support/figures';
import { writeTree } from './support/workspaceTree';

/**
 * Measures the index of a workspace of 5,000 and of 35,000 files: until words are searchable, one save, one search. The baseline reads
 * every file once.
 */

const workerPath = path.join(__dirname, '../../src/services/codebase/codebaseWorker.js');

async function main(): Promise<void> {
  for (const [count, goal, rounds] of [
    [5_000, 5_000, 30],
    [35_000, 30_000, 15],
  ] as const) {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-')));
    try {
      await measure(root, large(count), goal, rounds);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
}

async function measure(root: string, count: number, goal: number, rounds: number): Promise<void> {
  const folder = path.join(root, 'workspace');
  mkdirSync(folder);
  const files = writeTree(folder, count);
  const started = performance.now();
  for (const file of files) readFileSync(path.join(folder, file));
  const read = performance.now() - started;
  const codebase = open(root, folder);
  const begun = performance.now();
  await find(codebase, 'where is the session read');
  while ((await codebase.find('x', 1, new AbortController().signal)).isPartial);
  report('codebase', `words ready, ${count} files`, 'ms', performance.now() - begun, read, `value ≤ ${goal}`);
  const whole = performance.now();
  await codebase.settled();
  report('codebase', `cut by syntax, ${count} files`, 'ms', performance.now() - whole, read, 'none');
  const file = path.join(folder, files[count >> 1] ?? '');
  const [saves = [], reads = []] = await interleaved(rounds, [
    async (round) => {
      writeFileSync(file, `${readFileSync(file, 'utf8')}\nexport function savedRound${round}() {}\n`);
      await codebase.updateFiles([file]);
      const found = await find(codebase, `savedRound${round}`);
      if (found[0]?.file !== file) throw new Error('What was saved is not found');
    },
    () => readFileSync(file),
  ]);
  report('codebase', `save and find it, ${count} files`, 'ms', median(saves), median(reads), 'value ≤ 200');
  const [searches = []] = await interleaved(rounds, [() => find(codebase, 'write the result of a session to a file')]);
  report('codebase', `search, ${count} files`, 'ms', median(searches), read, 'none');
  const begunAgain = performance.now();
  await codebase.updateFiles(null);
  report('codebase', `compare all, ${count} files`, 'ms', performance.now() - begunAgain, read, 'none');
  const size = sizeOf(path.join(root, 'codebase'));
  const own = files.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  report('codebase', `disk, ${count} files`, 'MB', size / 1e6, own / 1e6, 'none');
  await codebase.dispose();
}

function open(root: string, folder: string): Codebase {
  const noModels = { list: () => Promise.resolve({ models: [], stale: false, fetchedAt: null }) };
  const noClient = { embed: () => Promise.reject(new Error('There is no model')) };
  return new Codebase({
    workerPath,
    directory: path.join(root, 'codebase'),
    clock: systemClock,
    logger: silentLogger,
    roots: () => Promise.resolve([{ real: folder, shown: folder, exists: true, prefix: '' }]),
    config: () => ({ isEnabled: true, maxBytes: 10e9, sensitive: {} }),
    embedder: new Embedder(noClient, noModels, () => ''),
    arbiter: new ServerArbiter(),
  });
}

async function find(codebase: Codebase, query: string) {
  return (await codebase.find(query, 10, new AbortController().signal)).finds;
}

function sizeOf(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(path.join(directory, name)).size, 0);
}

void main();
