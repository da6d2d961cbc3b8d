import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FileChanges } from '../../../src/services/files/fileChanges';
import { FileError } from '../../../src/services/files/fileError';
import type { FileTouch, FinishedTouch, TouchListener } from '../../../src/services/files/fileTouch';
import { compareFile } from '../../../src/services/review/changedFile';
import type { FileEvent } from '../../../src/services/review/history/fileEvents';
import { followed } from '../../../src/services/review/history/fileHistory';
import type { SnapshotState } from '../../../src/services/database/log/answers';
import type { SnapshotObjects } from '../../../src/types/checkpoint';
import { seeds } from '../../support/rounds';
import { Random } from '../../webview/support/random';
import { TypedDocument, typedLetter } from './support/typedDocument';

const runs = 1000;
const editsPerRun = 3;
const author = 'agent';

describe('Edits beside typing', () => {
  let folder: string;
  before(() => void (folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-typing-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const seed of seeds(2)) {
    it(`lose no key, mark no typed line and apply if their lines are untouched (seed ${seed})`, async () => {
      const random = new Random(seed);
      const totals = { applied: 0, refused: 0, conflicts: 0, keys: 0 };
      for (let run = 0; run < runs; run += 1) await play(path.join(folder, `${seed}.ts`), random, totals, `run ${run}`);
      // Otherwise the user typed elsewhere or too slowly.
      assert.ok(
        totals.applied > runs && totals.refused > 0 && totals.conflicts > 0 && totals.keys > runs,
        JSON.stringify(totals),
      );
    });
  }
});

async function play(
  file: string,
  random: Random,
  totals: { applied: number; refused: number; conflicts: number; keys: number },
  name: string,
): Promise<void> {
  const lines = Array.from({ length: 5 + random.integer(30) }, (_, index) => `line ${index}`);
  const text = lines.join('\n') + random.pick(['\n', '']);
  const document = new TypedDocument(file, text, random, 35 + random.integer(186), random.integer(2) === 0);
  const review = new MemoryReview(document);
  const changes = new FileChanges(document, review);
  for (let edit = 0; edit < editsPerRun; edit += 1) {
    document.pass(1000);
    const state = await changes.readText({ real: file, shown: 'a.ts' });
    const since = document.keysTyped;
    const { wanted, concerned } = edited(state.text, random, `agent ${edit}`);
    const count = typedIn(document.text);
    const origin = { sessionId: 's', callId: 'c', signal: new AbortController().signal, beginWriting: () => document.pass(100) };
    const isApplied = await changes.write(state, wanted, origin).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof FileError && error.reason === 'changed', `${name}: ${String(error)}`);
        return false;
      },
    );
    if (!isApplied)
      assert.ok(!document.hasUntouched(concerned, since), `${name}: refused, although ${concerned.join(' | ')} is untouched`);
    assert.ok(typedIn(document.text) >= count, `${name}: typed text is lost`);
    totals[isApplied ? 'applied' : 'refused'] += 1;
    await review.check(name);
  }
  totals.conflicts += document.conflicts;
  totals.keys += document.keysTyped;
}

/**
 * Replaces, deletes or inserts lines at random places where the user has not typed. `concerned` lists the affected lines for each change:
 * the replaced line, or the lines around an insertion. At least one of them must be untouched.
 */
function edited(text: string, random: Random, by: string): { wanted: string; concerned: string[][] } {
  const lines = text.split('\n');
  const concerned: string[][] = [];
  const wanted = lines.flatMap((line, index) => {
    if (line === '' || line.includes(typedLetter) || random.integer(8) !== 0) return [line];
    const kind = random.pick(['replace', 'delete', 'insert']);
    const next = lines[index + 1] ?? '';
    concerned.push(kind === 'insert' && next !== '' ? [line, next] : [line]);
    if (kind === 'insert') return [line, `${by} inserts ${index}`];
    return kind === 'delete' ? [] : [`${by} replaces ${index}`];
  });
  return { wanted: wanted.join('\n'), concerned };
}

function typedIn(text: string): number {
  return text.split(typedLetter).length - 1;
}

/** Data that the review has about the file, stored as `SnapshotKeeper` does. */
class MemoryReview implements TouchListener {
  private readonly events: FileEvent[] = [];
  private touched: Buffer | null = null;
  private readonly stored = new Map<string, Uint8Array>();
  private readonly objects: SnapshotObjects = {
    put: async (contents) => contents.map((content) => this.store(content)),
    get: async (hash) => this.stored.get(hash) ?? assert.fail('Not stored'),
  };

  constructor(private readonly document: TypedDocument) {}

  async beforeTouch({ before }: FileTouch): Promise<void> {
    this.touched = before;
    this.document.pass(1300);
  }

  async afterTouch({ before = this.touched ?? Buffer.alloc(0), after }: FinishedTouch): Promise<void> {
    this.events.push({ kind: 'found', state: this.stateOf(before) });
    this.events.push({ kind: 'written', author, turn: 1, state: after && this.stateOf(after) });
    this.document.pass(300);
  }

  async withdrawTouch(): Promise<void> {
    this.touched = null;
  }

  async afterFolders(): Promise<void> {
    assert.fail('No folder is made');
  }

  /** Asserts that no typed line is marked, and that undoing the agent's changes keeps everything that the user typed. */
  async check(name: string): Promise<void> {
    const now = Buffer.from(this.document.text);
    if (this.events.length === 0) return;
    const history = await (
      await followed(author, [...this.events, { kind: 'found', state: this.stateOf(now) }], this.objects)
    ).history();
    const base = history.base === null ? null : await this.objects.get(history.base.hash);
    assert.equal(typedIn(Buffer.from(base ?? []).toString()), typedIn(this.document.text), `${name}: undo would cut typed text`);
    const compared = compareFile({ path: 'a.ts', shown: 'a.ts' }, { original: base, before: base, now }, { author, ...history });
    for (const { written } of compared?.hunks ?? [])
      assert.equal(typedIn(written.join('\n')), 0, `${name}: a typed line is marked`);
  }

  private stateOf(content: Uint8Array): SnapshotState {
    return { hash: this.store(content), mode: 0o644 };
  }

  private store(content: Uint8Array): string {
    const hash = createHash('sha256').update(content).digest('hex');
    this.stored.set(hash, content);
    return hash;
  }
}
