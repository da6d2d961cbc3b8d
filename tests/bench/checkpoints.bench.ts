import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { engineOn, migrate } from './support/benchEngine';
import { measureHost } from './support/checkpointHost';
import { timedWithCheckpoints } from './support/checkpointTimes';
import { isOnce, many, median, report, type Goal } from './support/figures';
import { measureFirst } from './support/firstCheckpoint';
import { measureRepositories, measureRestores } from './support/restoreTimes';
import { ShadowGit } from './support/shadowGit';
import { sourceText, writeTree } from './support/workspaceTree';

/**
 * Compares checkpoints of the whole workspace with Cline's shadow git repository and with a bare walk, in turns, on trees of three sizes.
 * The time of a checkpoint lasts from the scan to the committed manifest.
 */

interface Goals {
  first: Goal;
  same: Goal;
  changed: Goal;
  restore: Goal;
  size: Goal;
}

/** File counts with their goals. With the largest count, git immediately starts its own garbage collection. */
const sizes: [count: number, goals: Goals][] = [
  [500, { first: 'ratio ≤ 0.1', same: 'ratio ≤ 0.04', changed: 'ratio ≤ 0.1', restore: 'ratio ≤ 1', size: 'ratio ≤ 0.45' }],
  [4_000, { first: 'ratio ≤ 0.08', same: 'ratio ≤ 0.1', changed: 'ratio ≤ 0.1', restore: 'ratio ≤ 0.75', size: 'ratio ≤ 0.45' }],
  [35_000, { first: 'ratio ≤ 0.1', same: 'ratio ≤ 0.15', changed: 'ratio ≤ 0.12', restore: 'ratio ≤ 0.95', size: 'ratio ≤ 1.2' }],
];

/** Number of first checkpoints that are taken. */
const firstRounds = many(5);

const hinted: [changes: number, goal: Goal][] = [
  [1, 'value ≤ 3'],
  [50, 'value ≤ 10'],
];

/** Measures first checkpoints in empty storage, and the resulting size on disk. Ours includes the database rows. */
async function reportFirst(root: string, storage: string, name: string, goals: Goals): Promise<void> {
  const times = [[], []] as [number[], number[]];
  const sizes = { ours: 0, theirs: 0, packed: 0 };
  for (let round = 0; round < firstRounds; round += 1) {
    const [ours, theirs] = ['ours', 'theirs'].map((owner) => path.join(storage, `first-${owner}`)) as [string, string];
    for (const folder of [ours, theirs]) mkdirSync(folder);
    times[0].push(measureFirst(root, ours));
    const git = new ShadowGit(root, theirs);
    git.initialize();
    times[1].push((await timed(() => git.checkpoint())).ms);
    await git.settled();
    sizes.ours = sizeOf(ours);
    sizes.theirs = sizeOf(theirs);
    if (round === firstRounds - 1) {
      git.collectGarbage();
      sizes.packed = sizeOf(theirs);
    }
    for (const folder of [ours, theirs]) rmSync(folder, { recursive: true });
  }
  report('checkpoints', `first, ${name}`, 'ms', median(times[0]), median(times[1]), goals.first);
  const kilobytes = (theirs: number) => [sizes.ours / 1_000, theirs / 1_000] as const;
  report('checkpoints', `size on disk, ${name}`, 'kB', ...kilobytes(sizes.theirs), goals.size);
  report('checkpoints', `size on disk beside one after git gc, ${name}`, 'kB', ...kilobytes(sizes.packed), 'ratio ≤ 1.2');
}

async function measure(count: number, goals: Goals): Promise<void> {
  const folders = ['workspace', 'storage', 'host'].map((name) =>
    mkdtempSync(path.join(tmpdir(), `ollama-copilot-bench-${name}-`)),
  );
  const [root, storage, host] = folders as [string, string, string];
  const restores = path.join(storage, 'restores');
  const rounds = count > 10_000 ? 3 : 7;
  const name = `${count.toLocaleString('en')} files`;
  try {
    const files = writeTree(root, count);
    await delay(2_500);
    await reportFirst(root, storage, name, goals);
    const engine = engineOn(storage);
    const git = new ShadowGit(root, storage);
    git.initialize();
    const workspace = { roots: [root], exclude: [], maxFileBytes: 50_000_000 };
    const take = () => engine.checkpoints.takeNow('session', 'manual', 'A checkpoint', workspace).at(-1)?.id ?? '';
    take();
    await git.checkpoint();
    await git.settled();

    const same = await turns(rounds, [take, () => git.checkpoint(), () => walk(root)]);
    report('checkpoints', `nothing changed, ${name}`, 'ms', same[0] ?? 0, same[1] ?? 0, goals.same);
    report('checkpoints', `nothing changed beside a bare walk, ${name}`, 'ms', same[0] ?? 0, same[2] ?? 0, 'ratio ≤ 1.25');

    const changed = [[], []] as [number[], number[]];
    for (let round = 0; round < rounds; round += 1) {
      change(root, files, 50, round);
      await delay(60);
      changed[0].push((await timed(take)).ms);
      changed[1].push((await timed(() => git.checkpoint())).ms);
    }
    report('checkpoints', `50 changed, ${name}`, 'ms', median(changed[0]), median(changed[1]), goals.changed);

    for (const [changes, goal] of hinted) {
      const [looks, walks] = [[], []] as [number[], number[]];
      for (let round = 0; round < 16; round += 1) {
        const last = take();
        const hints = change(root, files, changes, 20 + changes + round);
        await delay(60);
        const isLook = round % 2 === 0;
        const { ms } = await timed(() => engine.checkpoints.diffNow(last, workspace, isLook ? hints : undefined));
        // The first run of each is skipped, because its code is compiled during the run.
        if (round > 1) (isLook ? looks : walks).push(ms);
      }
      report('checkpoints', `${changes} changed, with hints beside a walk, ${name}`, 'ms', median(looks), median(walks), goal);
    }

    const before = take();
    const commit = await git.checkpoint();
    const theirs = { checkpoint: [] as number[], restore: [] as number[] };
    const ours = { whole: [] as number[], alone: [] as number[], before: [] as number[], after: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      change(root, files, 60, 100 + round);
      theirs.checkpoint.push((await timed(() => git.checkpoint())).ms);
      theirs.restore.push((await timed(() => git.restore(commit))).ms);
      change(root, files, 60, 200 + round);
      const restore = () =>
        engine.restores.restore('session', { kind: 'checkpoint', id: before }, workspace, { overwrite: 'all' });
      const { ms, checkpoints } = timedWithCheckpoints(restore);
      const [first, second] = checkpoints as [number, number];
      ours.whole.push(ms);
      ours.alone.push(ms - first - second);
      ours.before.push(first);
      ours.after.push(second);
    }
    const theirCheckpoint = median(theirs.checkpoint);
    const theirRestore = median(theirs.restore);
    for (const [what, times, baseline, goal] of [
      ['restore of 60 without its two checkpoints', ours.alone, theirRestore, goals.restore],
      ['checkpoint before a restore of 60', ours.before, theirCheckpoint, 'none'],
      ['checkpoint after a restore of 60', ours.after, theirCheckpoint, 'none'],
      ['restore of 60 with its two checkpoints', ours.whole, theirRestore, goals.restore],
    ] as const) {
      report('checkpoints', `${what}, ${name}`, 'ms', median(times), baseline, goal);
    }
    engine.dispose();

    mkdirSync(restores);
    measureRestores(root, files, restores, name);

    migrate(host);
    const { memory, block, quietBlock, ownBlock } = measureHost(root, host);
    report('checkpoints', `memory over idle, ${name}`, 'MB', memory, 220, 'value ≤ 220');
    report('checkpoints', `longest block of the host beside nothing done, ${name}`, 'ms', block, quietBlock, 'value ≤ 15');
    report('checkpoints', `longest block of the host but for waits for a core, ${name}`, 'ms', ownBlock, block, 'value ≤ 15');
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

/** Changes files and returns their paths. */
function change(root: string, files: readonly string[], count: number, round: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const file = path.join(root, files[(index * 131 + round * 17) % files.length] ?? '');
    writeFileSync(file, sourceText(1_000_000 + round * 1_000 + index, 4_000));
    return file;
  });
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

/** Returns the median time of each piece of work. The pieces alternate, after one warm-up round. */
async function turns(rounds: number, works: readonly (() => unknown)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, work] of works.entries()) {
      const { ms } = await timed(work);
      if (round > 0) times[index]?.push(ms);
    }
  }
  return times.map(median);
}

async function timed(work: () => unknown): Promise<{ ms: number }> {
  const start = performance.now();
  await work();
  return { ms: performance.now() - start };
}

function sizeOf(folder: string): number {
  let size = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) size += lstatSync(path.join(entry.parentPath, entry.name)).blocks * 512;
  }
  return size;
}

async function main(): Promise<void> {
  for (const [count, goals] of isOnce ? sizes.slice(0, 1) : sizes) await measure(count, goals);
  measureRepositories();
}

void main();
