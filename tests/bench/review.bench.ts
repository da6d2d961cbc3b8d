import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { compareFile, type ComparedFile } from '../../src/services/review/changedFile';
import { splitEditorLines } from '../../src/utils/text/lineEdits';
import { Weave } from '../../src/utils/text/weave/weave';
import type { PendingFileChange } from '../../src/services/review/pendingChanges';
import { SnapshotKeeper } from '../../src/services/review/snapshotKeeper';
import { PendingEditReviewService } from '../../src/services/review/pendingEditReviewService';
import type { TextChanged } from '../../src/services/review/reviewPorts';
import { reviewedFile } from '../../src/services/review/reviewSessionBuilder';
import type { ReviewPlace } from '../../src/services/review/reviewTypes';
import { systemClock } from '../../src/utils/clock';
import { Emitter } from '../../src/utils/emitter';
import { silentLogger } from '../../src/utils/logger';
import { diffLines } from '../../src/utils/text/lineDiff';
import { AgentBench } from '../unit/agent/support/agentBench';
import { FakeEditor } from '../unit/review/support/fakeEditor';
import { interleaved, median, percentile, report } from './support/figures';
import { heap } from './support/heap';

/**
 * Measures the cost of a review for the extension host without an editor: hunks of many files and of a very long file, and one key typed in
 * the long file. The baseline is a plain diff of the same texts.
 */

const keys = 300;
const long = { path: '/work/long.ts', lines: 20_000, hunks: 500 };
const many = Array.from({ length: 100 }, (_, index) => ({ path: `/work/${index}.ts`, lines: 400, hunks: 10 }));

type Size = typeof long;

async function main(): Promise<void> {
  const alone = heap();
  const scene = sceneOf([long, ...many]);
  const given = heap();
  await scene.service.startReview('session');
  const total = scene.service.getChangePosition()?.total;
  if (total !== 1500) throw new Error(`There are ${total} hunks`);
  report('review', 'memory of the hunks of 101 files, beside their texts', 'MB', heap() - given, given - alone, 'value ≤ 20');
  await manyFiles();
  await longFile();
  await typing(scene);
  await scene.service.dispose();
  await answers();
}

/**
 * Keeps and undoes hunks of files on disk, with the database. Measures until the service has reported the changes that the editor shows.
 */
async function answers(): Promise<void> {
  const bench = await AgentBench.start();
  try {
    const { id } = await bench.database.sessions.create({ title: 'Bench', mode: 'agent', model: null, projectPath: null });
    const keeper = new SnapshotKeeper(bench.database, bench.snapshots, silentLogger);
    for (const size of many) {
      const { before, now } = sidesOf(size);
      const path = bench.file(basename(size.path));
      const shown = basename(size.path);
      writeFileSync(path, before);
      const touch = { sessionId: id, callId: 'call', operation: 'modify' as const, path, shown, mode: 0o644 };
      await keeper.beforeTouch({ ...touch, before: Buffer.from(before) });
      writeFileSync(path, now);
      await keeper.afterTouch({ ...touch, after: Buffer.from(now) });
    }
    const service = new PendingEditReviewService(
      { changes: bench.changes, sessionOf: async () => undefined },
      new FakeEditor(),
      systemClock,
      silentLogger,
    );
    await service.startReview(id);
    const file = (index: number) => bench.file(basename(many[index % many.length]?.path ?? ''));
    const firstOf = (index: number) => service.getState(file(index))?.hunks[0]?.id ?? '';
    const keep: number[] = [];
    const undo: number[] = [];
    for (let at = 0; at < 80; at += 1) {
      const path = file(at);
      const hunk = firstOf(at);
      const start = performance.now();
      await (at % 2 === 0 ? service.keepHunk(path, hunk) : service.undoHunk(path, hunk));
      (at % 2 === 0 ? keep : undo).push(performance.now() - start);
      if (firstOf(at) === hunk) throw new Error('The hunk still waits');
      // Lets the background check of the other files finish, as it does before a user's next answer.
      await service.refresh();
    }
    const [one = many[0] as Size] = many;
    const [other = []] = await interleaved(40, [() => diffLines(sidesOf(one).before.split('\n'), sidesOf(one).now.split('\n'))]);
    report('review', 'keeping one of 1,000 hunks, until the editor is told', 'ms', median(keep), median(other), 'value ≤ 50');
    report('review', 'undoing one on the disk, until the editor is told', 'ms', median(undo), median(other), 'value ≤ 50');
    await service.dispose();
  } finally {
    await bench.stop();
  }
}

async function manyFiles(): Promise<void> {
  const sides = many.map(sidesOf);
  const ours = () => sides.map((side) => reviewedFile(pending(side), noEditor));
  const plain = () => sides.map(({ before, now }) => diffLines(before.split('\n'), now.split('\n')));
  const [own = [], other = []] = await interleaved(30, [ours, plain]);
  report('review', '1,000 hunks of 100 files, to a plain diff', 'ms', median(own), median(other), 'value ≤ 300');
}

async function longFile(): Promise<void> {
  const side = sidesOf(long);
  const change = pending(side);
  const opened = (text: string) => ({ document: () => ({ text, version: 1, isDirty: true }) });
  const same = opened(side.now);
  const typed = opened(`// first\n${side.now}// last\n`);
  const plain = () => diffLines(side.before.split('\n'), side.now.split('\n'));
  const [first = [], again = [], apart = [], other = []] = await interleaved(30, [
    () => compareFile({ path: side.path, shown: side.path }, contentsOf(side), historyOf(side)),
    () => reviewedFile(change, same),
    () => reviewedFile(change, typed),
    plain,
  ]);
  report('review', '500 hunks of 20,000 lines when it is read, to a plain diff', 'ms', median(first), median(other), 'none');
  report('review', 'the same when typing has paused, at a stretch', 'ms', median(again), median(other), 'value ≤ 16');
  report('review', 'and with lines typed at both ends of the file', 'ms', median(apart), median(other), 'value ≤ 16');
}

/** Types keys by turns at the beginning of the file, so that all hunks move, and within a line. */
async function typing({ service, type }: Scene): Promise<void> {
  const times: number[] = [];
  for (let key = 0; key < keys; key += 1) {
    const start = performance.now();
    type(key % 2 === 0 ? '\n' : 'a', key);
    times.push(performance.now() - start);
    await setImmediate();
  }
  if (service.getChangePosition()?.total !== 1500) throw new Error('A key has changed the hunks');
  const side = sidesOf(long);
  const [plain = []] = await interleaved(10, [() => diffLines(side.before.split('\n'), side.now.split('\n'))]);
  report('review', 'one key among 500 hunks of 20,000 lines, to a plain diff', 'ms', median(times), median(plain), 'value ≤ 1');
  report('review', 'the slowest but one of a hundred such keys', 'ms', percentile(times, 0.99), median(plain), 'value ≤ 16');
}

type Scene = ReturnType<typeof sceneOf>;

/** Builds a review in which only the long file is open. As in an editor, each key is reported after it was typed. */
function sceneOf(sizes: readonly Size[]) {
  const changes = sizes.map((size) => pending(sidesOf(size)));
  const typed = emitter<TextChanged>();
  const refuse = () => Promise.reject(new Error('Nothing is answered here'));
  const service = new PendingEditReviewService(
    {
      changes: {
        compared: () => Promise.resolve(changes),
        keepHunks: refuse,
        undoHunks: refuse,
        followEditor: refuse,
        onDidChange: emitter<never>().event,
      },
      sessionOf: () => Promise.resolve(undefined),
    },
    {
      ...noEditor,
      visible: () => [long.path],
      cursor: () => ({ path: long.path, line: 0 }),
      edit: refuse,
      show: refuse,
      onDidChangeText: typed.event,
      onDidMoveCursor: emitter<ReviewPlace | undefined>().event,
    },
    systemClock,
    silentLogger,
  );
  const type = (text: string, version: number) => {
    const place = { startLine: 0, startCharacter: 0, endLine: 0, endCharacter: 0 };
    typed.fire({ path: long.path, changes: [{ ...place, text }], version, reason: 'other' });
  };
  return { service, type };
}

const noEditor = { document: () => undefined };

function pending({ path, before, now }: Sides): PendingFileChange {
  const compared = compareFile({ path, shown: path }, contentsOf({ path, before, now }), historyOf({ path, before, now }));
  if (compared === undefined) throw new Error('Nothing differs');
  return { ...(compared satisfies ComparedFile), rows: [], turns: new Map() };
}

type Sides = ReturnType<typeof sidesOf>;

function contentsOf({ before, now }: Sides) {
  const was = Buffer.from(before);
  return { original: was, before: was, now: Buffer.from(now) };
}

function historyOf({ before, now }: Sides) {
  const weave = Weave.of(splitEditorLines(before)).advanced('chat', splitEditorLines(now));
  return { author: 'chat', weave, last: { hash: '', mode: null } };
}

/** Builds evenly spaced hunks: in turn a replaced line, two added lines, and a deleted line. */
function sidesOf({ path, lines, hunks }: Size) {
  const before = Array.from({ length: lines }, (_, index) => `  const value${index} = compute(${index % 17}, "text");`);
  const distance = Math.floor(lines / hunks);
  const now = before.flatMap((line, index) => {
    if (index % distance !== 5) return [line];
    const kind = Math.floor(index / distance) % 3;
    if (kind === 0) return [`  const changed${index} = 1;`];
    return kind === 1 ? [line, `  added(${index});`, '  again();'] : [];
  });
  return { path, before: `${before.join('\n')}\n`, now: `${now.join('\n')}\n` };
}

function emitter<T>(): Emitter<T> {
  return new Emitter<T>((error) => {
    throw error;
  });
}

void main();
