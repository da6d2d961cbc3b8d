import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { ReviewHunk, UndoOutcome } from '../../../src/services/review/reviewTypes';
import { SnapshotKeeper } from '../../../src/services/review/snapshotKeeper';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import type { ReplaceQuestion } from '../../../src/services/review/reviewPorts';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { seeds } from '../../support/rounds';
import { Random } from '../../webview/support/random';
import { AgentBench } from '../agent/support/agentBench';
import { FakeEditor } from './support/fakeEditor';
import { undoFiles } from './support/undoFiles';

/** Sequences per storage, each on its own file. */
const sequences = 50;
/** Steps per sequence. */
const steps = 14;

describe('A review in whatever order things happen', () => {
  for (const seed of seeds(4)) {
    it(`loses no typed line, and gives the original back (seed ${seed})`, async () => {
      // Undoing a whole file may ask about lines that both user and agent have edited. Reverting a recent undo never asks.
      const replace = async ({ why }: ReplaceQuestion) => why === 'revert' && assert.fail('Nothing is replaced');
      const bench = await AgentBench.start({ questions: { replace } });
      try {
        const random = new Random(seed);
        for (let sequence = 0; sequence < sequences; sequence += 1) {
          const session = await bench.database.sessions.create({
            title: 'Random',
            mode: 'agent',
            model: null,
            projectPath: null,
          });
          const other = await bench.database.sessions.create({ title: 'Other', mode: 'agent', model: null, projectPath: null });
          await new Sequence({ bench, sessionId: session.id, otherId: other.id, random }, `${sequence}.txt`).run();
        }
        await bench.checkReferences();
      } finally {
        await bench.stop();
      }
    });
  }
});

interface World {
  bench: AgentBench;
  sessionId: string;
  /** Other session whose agent changes the same file. */
  otherId: string;
  random: Random;
}

/** Windows does not store permission bits. */
const executable = process.platform === 'win32' ? 0o666 : 0o755;

/** One file that the agent, the user and review answers change in turns. Each line names its author. */
class Sequence {
  private readonly file: string;
  private readonly editor = new FakeEditor();
  private readonly keeper: SnapshotKeeper;
  private review: PendingEditReviewService;
  /** Reviews in windows that were killed. */
  private readonly killed: PendingEditReviewService[] = [];
  private readonly original: string;
  private count = 0;
  private hasTyped = false;
  private hasKept = false;
  private readonly told: string[] = [];

  constructor(
    private readonly world: World,
    private readonly name: string,
  ) {
    const { bench, random } = world;
    this.file = bench.file(name);
    const end = random.pick(['\n', '\r\n']);
    const lines = Array.from({ length: 3 + random.integer(10) }, () => this.line('base'));
    this.original = lines.join(end) + random.pick([end, '']);
    writeFileSync(this.file, this.original);
    chmodSync(this.file, 0o755);
    this.keeper = new SnapshotKeeper(bench.database, bench.snapshots, silentLogger);
    this.review = this.opened();
  }

  async run(): Promise<void> {
    try {
      await this.review.startReview(this.world.sessionId);
      for (let step = 0; step < steps; step += 1) await this.step();
      if (!this.hasTyped && !this.hasKept) {
        await this.answered(() => undoFiles(this.world.bench.changes, this.review, [this.file]));
        assert.deepEqual([this.text(), this.mode()], [this.original, executable]);
      }
    } catch (error) {
      throw new Error(`${this.name}: ${this.told.join(', ')}\n${this.text()}`, { cause: error });
    } finally {
      for (const review of [this.review, ...this.killed]) await review.dispose();
    }
  }

  private step(): Promise<void> {
    const { random } = this.world;
    const often = [
      'agent',
      'agent',
      'type',
      'keep',
      'undo',
      'undo',
      'back',
      'back',
      'message',
      'reload',
      'lines',
      'undoAll',
    ] as const;
    const seldom = ['checkout', 'format', 'kill', 'other', 'recreate', 'recreate'] as const;
    const kind = random.integer(6) === 0 ? random.pick(seldom) : random.pick(often);
    this.told.push(kind);
    if (kind === 'agent') return this.agentWrites(this.world.sessionId, 'agent');
    if (kind === 'recreate') return this.agentRecreates();
    if (kind === 'undoAll') return this.undoAll();
    if (kind === 'other') return this.otherWrites();
    if (kind === 'checkout') return this.rewritten(this.original);
    if (kind === 'format') return this.rewritten(this.formatted());
    if (kind === 'kill') return this.kill();
    if (kind === 'type') return this.type();
    if (kind === 'keep' || kind === 'undo') return this.answer(kind);
    if (kind === 'lines') return this.answer(random.pick(['keep', 'undo']), true);
    if (kind === 'back') return this.takeBack();
    if (kind === 'message') return this.message();
    return this.reload();
  }

  private async agentWrites(sessionId: string, who: string): Promise<void> {
    const before = readFileSync(this.file);
    const touch = { sessionId, callId: 'call', operation: 'modify' as const, path: this.file, shown: this.name };
    const mode = this.mode();
    await this.keeper.beforeTouch({ ...touch, before, mode });
    const after = Buffer.from(this.changed(who, 3, (line) => !line.startsWith('own')));
    writeFileSync(this.file, after);
    await this.keeper.afterTouch({ ...touch, after, mode });
    await this.review.refresh();
  }

  /** Deletes and recreates the file as tools do: with `\n` line endings and the mode of a new file. */
  private async agentRecreates(): Promise<void> {
    const touch = { sessionId: this.world.sessionId, callId: 'call', path: this.file, shown: this.name };
    const text = this.changed('agent', 2, (line) => !line.startsWith('own')).replaceAll('\r\n', '\n');
    await this.keeper.beforeTouch({ ...touch, operation: 'delete', before: readFileSync(this.file), mode: this.mode() });
    rmSync(this.file);
    await this.keeper.afterTouch({ ...touch, after: null, mode: null });
    await this.keeper.beforeTouch({ ...touch, operation: 'create', before: null, mode: null });
    writeFileSync(this.file, text);
    chmodSync(this.file, 0o644);
    await this.keeper.afterTouch({ ...touch, after: Buffer.from(text), mode: 0o644 });
    await this.review.refresh();
  }

  /**
   * Undoes the file. Reverting the undo immediately restores the previous state without a question. An undo may have two entries: hunks
   * first, then the rest.
   */
  private async undoAll(): Promise<void> {
    const { bench, sessionId, random } = this.world;
    const before = [this.text(), this.mode()];
    const given = (await this.reviews()).length;
    let outcome: UndoOutcome | undefined;
    await this.answered(async () => (outcome = await bench.changes.undo(sessionId, [this.file])));
    await this.review.refresh();
    if (outcome?.undone.length !== 1 || random.integer(3) === 0) return;
    for (const seq of (await this.reviews()).slice(given).reverse())
      assert.deepEqual((await bench.changes.revertAnswer(sessionId, seq)).left, []);
    assert.deepEqual([this.text(), this.mode()], before);
    await this.review.refresh();
  }

  /** Returns the `seq` numbers of the review entries. */
  private async reviews(): Promise<number[]> {
    const { entries } = await this.world.bench.database.log.read(this.world.sessionId, 0);
    return entries.filter(({ type }) => type === 'review').map(({ seq }) => seq);
  }

  private mode(): number {
    return statSync(this.file).mode & 0o777;
  }

  /** Changes the file in another session. In this review, such changes count as the user's. */
  private otherWrites(): Promise<void> {
    this.hasTyped = true;
    return this.agentWrites(this.world.otherId, 'own');
  }

  /** Rewrites the whole file, as `git checkout` or a formatter does. */
  private async rewritten(text: string): Promise<void> {
    this.hasTyped = true;
    writeFileSync(this.file, text);
    await this.review.refresh([this.file]);
  }

  /** Returns the text as a formatter would leave it: without empty lines and with a final line ending. */
  private formatted(): string {
    const text = this.text();
    const end = text.includes('\r\n') ? '\r\n' : '\n';
    return [...text.split(/\r?\n/).filter((line) => line !== ''), ''].join(end);
  }

  private async type(): Promise<void> {
    this.hasTyped = true;
    writeFileSync(
      this.file,
      this.changed('own', 2, () => true),
    );
    await this.review.refresh([this.file]);
  }

  /** Returns the text with some lines inserted and some deleted. Deletes only lines that `mayGo` allows. */
  private changed(who: string, times: number, mayGo: (line: string) => boolean): string {
    const { random } = this.world;
    const text = this.text();
    const end = text.includes('\r\n') ? '\r\n' : '\n';
    const lines = text.split(end);
    for (let time = 0; time < times; time += 1) {
      const at = random.integer(lines.length);
      const going = random.integer(3);
      const isAllowed = lines.slice(at, at + going).every(mayGo);
      const added = Array.from({ length: random.integer(3) }, () => this.line(who));
      lines.splice(at, isAllowed ? going : 0, ...added);
    }
    return lines.join(end);
  }

  private async answer(kind: 'keep' | 'undo', isOfLines = false): Promise<void> {
    const { random } = this.world;
    const hunks = this.review.getState(this.file)?.hunks ?? [];
    const hunk = hunks.length > 0 ? random.pick(hunks) : undefined;
    if (hunk === undefined) return;
    const before = this.lines();
    const others = hunks.filter(({ id }) => id !== hunk.id).map(contentOf);
    const line = hunk.range.start + random.integer(Math.max(1, hunk.range.end - hunk.range.start));
    const lines =
      isOfLines && hunk.written.some(({ start, end }) => start <= line && line < end)
        ? { start: line, end: line + 1 }
        : undefined;
    if (kind === 'keep') {
      this.hasKept = true;
      await this.answered(() => this.review.keepHunk(this.file, hunk.id, lines));
      assert.deepEqual(this.lines(), before);
    } else {
      await this.answered(() => this.review.undoHunk(this.file, hunk.id, lines));
      if (hunk.isContested) assert.deepEqual(this.lines(), before);
      else if (lines === undefined) assert.deepEqual(sorted(this.lines()), sorted(without(before, hunk.newLines, hunk.oldLines)));
    }
    if (hunk.isContested && kind === 'undo') return;
    const left = this.review.getState(this.file)?.hunks ?? [];
    if (lines !== undefined) return;
    // A deletion is shown again if the agent's lines around it exist again. An answered deletion is not shown again.
    const isToldAgain = (one: string) => !others.includes(one) && one.endsWith(' > ') && one !== contentOf(hunk);
    assert.deepEqual(
      left.map(contentOf).filter((one) => !isToldAgain(one)),
      others,
    );
  }

  private async takeBack(): Promise<void> {
    const { bench, sessionId, random } = this.world;
    const given = await bench.database.fileSnapshots.hunkAnswers(sessionId, null);
    const mine = given.filter(({ path }) => path === this.file);
    if (mine.length === 0) return;
    const seq = random.pick(mine).seq;
    await this.answered(() => bench.changes.revertAnswer(sessionId, seq).catch(ifGone));
    await this.review.refresh();
  }

  /** Adds a user message, so that later changes belong to another message. */
  private async message(): Promise<void> {
    const data = { mode: 'agent' as const, attachments: [] };
    await this.world.bench.database.log.append(this.world.sessionId, { type: 'user_input', content: 'Go on', data });
  }

  /** Checks that a new service on the same storage shows the same hunks. */
  private async reload(): Promise<void> {
    const before = this.review.getState(this.file);
    await this.review.dispose();
    this.review = this.opened();
    await this.review.startReview(this.world.sessionId);
    assert.deepEqual(this.review.getState(this.file), before);
  }

  /** Kills the window and starts another one on the stored data. */
  private async kill(): Promise<void> {
    this.killed.push(this.review);
    this.review = this.opened();
    await this.review.startReview(this.world.sessionId);
  }

  /** Runs `work` and checks that none of the user's lines is lost. */
  private async answered(work: () => Promise<unknown>): Promise<void> {
    const own = this.own();
    await work().catch(ifGone);
    assert.deepEqual(this.own(), own);
  }

  private own(): string[] {
    return this.lines().filter((line) => line.startsWith('own'));
  }

  private lines(): string[] {
    return this.text().split(/\r?\n/);
  }

  private text(): string {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8') : '';
  }

  private line(who: string): string {
    this.count += 1;
    return `${who}${this.count}`;
  }

  private opened(): PendingEditReviewService {
    const sources = { changes: this.world.bench.changes, sessionOf: async () => undefined };
    return new PendingEditReviewService(sources, this.editor, systemClock, silentLogger);
  }
}

function contentOf({ oldLines, newLines }: ReviewHunk): string {
  return `${oldLines.join()} > ${newLines.join()}`;
}

function ifGone(error: unknown): void {
  const isGone = error instanceof Error && 'code' in error && error.code === 'reviewGone';
  if (!isGone) throw error;
}

function without(lines: readonly string[], gone: readonly string[], added: readonly string[]): string[] {
  const left = [...lines];
  for (const line of gone) left.splice(left.indexOf(line), 1);
  const all = [...left, ...added];
  // An empty file counts as one empty line.
  return all.length === 0 ? [''] : all;
}

function sorted(lines: readonly string[]): string[] {
  return [...lines].sort();
}
