import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CheckpointEngine } from '../../src/services/checkpoint/checkpointEngine';
import { nodeFileSystem } from '../../src/services/checkpoint/fileSystem';
import { databaseFileName } from '../../src/services/database/databaseFile';
import { migrateOnce } from '../../src/services/database/migrations';
import { isMigrated } from '../../src/services/database/schemaVersion';
import { openSqlite } from '../../src/services/database/sqlite';
import { createOwner } from '../../src/services/database/windowOwner';
import { systemClock } from '../../src/utils/clock';
import { measureHost } from './support/checkpointHost';
import { median, report, type Goal } from './support/figures';
import { ShadowGit } from './support/shadowGit';
import { sourceText, writeTree } from './support/workspaceTree';

/**
 * Checkpoints of the whole workspace beside a shadow git repository and beside a bare walk, in turns, on trees of three sizes. The time of
 * a checkpoint is from the scan to the committed manifest.
 */

interface Goals {
  first: Goal;
  same: Goal;
  changed: Goal;
  restore: Goal;
}

const sizes: [count: number, goals: Goals][] = [
  [500, { first: 'ratio ≤ 0.1', same: 'ratio ≤ 0.04', changed: 'ratio ≤ 0.1', restore: 'ratio ≤ 1' }],
  [4_000, { first: 'ratio ≤ 0.08', same: 'ratio ≤ 0.1', changed: 'ratio ≤ 0.1', restore: 'ratio ≤ 0.75' }],
  [35_000, { first: 'ratio ≤ 0.1', same: 'ratio ≤ 0.15', changed: 'ratio ≤ 0.12', restore: 'ratio ≤ 0.95' }],
];

const hinted: [changes: number, goal: Goal][] = [
  [1, 'value ≤ 3'],
  [50, 'value ≤ 10'],
];

async function measure(count: number, goals: Goals): Promise<void> {
  const folders = ['workspace', 'storage', 'host'].map((name) =>
    mkdtempSync(path.join(tmpdir(), `ollama-copilot-bench-${name}-`)),
  );
  const [root, storage, host] = folders as [string, string, string];
  const rounds = count > 10_000 ? 3 : 7;
  const name = `${count.toLocaleString('en')} files`;
  try {
    const files = writeTree(root, count);
    await delay(2_500);
    const engine = engineOn(storage);
    const git = new ShadowGit(root, storage);
    git.initialize();
    const workspace = { roots: [root], exclude: [], maxFileBytes: 50_000_000 };
    const take = () => engine.takeNow('session', 'manual', 'A checkpoint', workspace).at(-1)?.id ?? '';
    const [ours, theirs] = [timed(take), timed(() => git.checkpoint())];
    report('checkpoints', `first, ${name}`, 'ms', ours.ms, theirs.ms, goals.first);
    report(
      'checkpoints',
      `size on disk, ${name}`,
      'kB',
      sizeOf(path.join(storage, 'objects')) / 1_000,
      sizeOf(path.join(storage, 'shadow.git')) / 1_000,
      'ratio ≤ 0.45',
    );
    report(
      'checkpoints',
      `size on disk beside one after git gc, ${name}`,
      'kB',
      sizeOf(path.join(storage, 'objects')) / 1_000,
      collectedSize(root, storage) / 1_000,
      'ratio ≤ 1.2',
    );

    const same = turns(rounds, [take, () => git.checkpoint(), () => walk(root)]);
    report('checkpoints', `nothing changed, ${name}`, 'ms', same[0] ?? 0, same[1] ?? 0, goals.same);
    report('checkpoints', `nothing changed beside a bare walk, ${name}`, 'ms', same[0] ?? 0, same[2] ?? 0, 'ratio ≤ 1.25');

    const changed = [[], []] as [number[], number[]];
    for (let round = 0; round < rounds; round += 1) {
      change(root, files, 50, round);
      await delay(60);
      changed[0].push(timed(take).ms);
      changed[1].push(timed(() => git.checkpoint()).ms);
    }
    report('checkpoints', `50 changed, ${name}`, 'ms', median(changed[0]), median(changed[1]), goals.changed);

    for (const [changes, goal] of hinted) {
      const [looks, walks] = [[], []] as [number[], number[]];
      for (let round = 0; round < 16; round += 1) {
        const last = take();
        const hints = change(root, files, changes, 20 + changes + round);
        await delay(60);
        const isLook = round % 2 === 0;
        const { ms } = timed(() => engine.diffNow(last, workspace, isLook ? hints : undefined));
        // The first of each is compiled while it runs.
        if (round > 1) (isLook ? looks : walks).push(ms);
      }
      report('checkpoints', `${changes} changed, with hints beside a walk, ${name}`, 'ms', median(looks), median(walks), goal);
    }

    const [before, commit] = [take(), git.checkpoint()];
    const restored = [[], [], []] as [number[], number[], number[]];
    for (let round = 0; round < rounds; round += 1) {
      change(root, files, 60, 100 + round);
      git.checkpoint();
      restored[1].push(timed(() => git.restore(commit)).ms);
      change(root, files, 60, 200 + round);
      restored[0].push(timed(() => engine.restore('session', before, workspace, { overwrite: 'all' })).ms);
      // The checkpoint before it finds 60 files changed, as this one does; the one after it looks at those alone, and is counted.
      change(root, files, 60, 300 + round);
      restored[2].push(timed(take).ms);
      engine.restore('session', before, workspace, { overwrite: 'all' });
    }
    const [whole, theirRestore, checkpoint] = restored.map(median) as [number, number, number];
    report(
      'checkpoints',
      `restore of 60 but for the checkpoint before it, ${name}`,
      'ms',
      whole - checkpoint,
      theirRestore,
      goals.restore,
    );
    report('checkpoints', `restore of 60 with its two checkpoints, ${name}`, 'ms', whole, theirRestore, goals.restore);
    engine.dispose();

    migrate(host);
    const { memory, block, quietBlock, ownBlock } = measureHost(root, host);
    report('checkpoints', `memory over idle, ${name}`, 'MB', memory, 220, 'value ≤ 220');
    report('checkpoints', `longest block of the host beside nothing done, ${name}`, 'ms', block, quietBlock, 'value ≤ 15');
    report('checkpoints', `longest block of the host but for waits for a core, ${name}`, 'ms', ownBlock, block, 'value ≤ 15');
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

function migrate(directory: string): void {
  const database = openSqlite(path.join(directory, databaseFileName));
  database.exec('PRAGMA journal_mode = WAL');
  while (!isMigrated(database)) migrateOnce(database);
  database.exec("INSERT INTO sessions (id, title, mode, created_at, updated_at) VALUES ('session', '', 'agent', 0, 0)");
  database.close();
}

function engineOn(directory: string): CheckpointEngine {
  migrate(directory);
  const environment = { home: directory, configHome: directory, systemConfig: path.join(directory, 'none') };
  const surroundings = { fileSystem: nodeFileSystem, clock: systemClock, isCancelled: () => false };
  const blockThreadPath = path.join(__dirname, '../../src/services/checkpoint/blockWorker.js');
  return new CheckpointEngine({ directory, owner: createOwner(), environment, blockThreadPath, ...surroundings });
}

/** Answers which files. */
function change(root: string, files: readonly string[], count: number, round: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const file = path.join(root, files[(index * 131 + round * 17) % files.length] ?? '');
    writeFileSync(file, sourceText(1_000_000 + round * 1_000 + index, 4_000));
    return file;
  });
}

/** Of the shadow repository, packed: of a copy, since it is to be measured as it is. */
function collectedSize(root: string, storage: string): number {
  const copy = path.join(storage, 'collected');
  cpSync(path.join(storage, 'shadow.git'), path.join(copy, 'shadow.git'), { recursive: true });
  new ShadowGit(root, copy).collectGarbage();
  const size = sizeOf(copy);
  rmSync(copy, { recursive: true });
  return size;
}

function walk(folder: string): number {
  let count = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const inside = `${folder}/${entry.name}`;
    if (entry.isDirectory()) count += walk(inside);
    else if (lstatSync(inside).isFile()) count += 1;
  }
  return count;
}

/** Medians of each piece of work, done in turns after one round that is not counted. */
function turns(rounds: number, works: readonly (() => unknown)[]): number[] {
  const times = works.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    works.forEach((work, index) => {
      const { ms } = timed(work);
      if (round > 0) times[index]?.push(ms);
    });
  }
  return times.map(median);
}

function timed<T>(work: () => T): { ms: number; result: T } {
  const start = performance.now();
  const result = work();
  return { ms: performance.now() - start, result };
}

function sizeOf(folder: string): number {
  let size = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) size += lstatSync(path.join(entry.parentPath, entry.name)).blocks * 512;
  }
  return size;
}

async function main(): Promise<void> {
  for (const [count, goals] of sizes) await measure(count, goals);
}

void main();
