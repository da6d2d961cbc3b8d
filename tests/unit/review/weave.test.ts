import assert from 'node:assert/strict';
import { applyEdits, splitEditorLines } from '../../../src/utils/text/lineEdits';
import { keepEdits, cutChange, type Standing, type StandingChange } from '../../../src/utils/text/weave/standingChanges';
import { Weave } from '../../../src/utils/text/weave/weave';
import { others } from '../../../src/utils/text/weave/wovenLine';
import { seeds } from '../../support/rounds';

/** Converts words to lines. */
const texts = (...all: string[]) => all.map((text) => (text === '' ? [] : text.split(' ')));

function standing(base: readonly string[], left: readonly string[], now: readonly string[]): Standing {
  return Weave.of(base).advanced('chat', left).standing('chat', now);
}

function allUndone(base: readonly string[], left: readonly string[], now: readonly string[]): string[] {
  const { changes, undoEdits } = standing(base, left, now);
  return applyEdits(now, undoEdits(changes));
}

function undone(base: string, left: string, now: string): string {
  const [a, b, c] = texts(base, left, now) as [string[], string[], string[]];
  return allUndone(a, b, c).join(' ');
}

function told(base: string, left: string, now: string): string[] {
  const [a, b, c] = texts(base, left, now) as [string[], string[], string[]];
  return standing(a, b, c).changes.map(({ baseStart, baseEnd, lines, start, isContested }) => {
    const old = a.slice(baseStart, baseEnd).join(' ');
    return `${start}: ${old} > ${lines.map((line) => c[line]).join(' ')}${isContested ? ' !' : ''}`;
  });
}

describe('Changes that stand', () => {
  for (const [title, base, left, now, changes, result] of [
    ['is as it was left', 'a b c', 'a x c d', 'a x c d', ['1: b > x', '3:  > d'], 'a b c'],
    ['has lines of others elsewhere', 'a b c', 'a x c', 'p a x c q', ['2: b > x'], 'p a b c q'],
    ['has a line of others inside an added block', 'a c', 'a x y c', 'a x p y c', ['1:  > x y'], 'a p c'],
    ['has lines of others right beside a change', 'a b c', 'a x c', 'a p x q c', ['2: b > x'], 'a p b q c'],
    ['has a line of others between replaced lines', 'a b c d', 'a x y d', 'a x p y d', ['1: b c > x y'], 'a b p c d'],
    ['has lost an added line', 'a c', 'a x y z c', 'a x z c', ['1:  > x z'], 'a c'],
    ['has lost what an old line was replaced by', 'a b c', 'a x c', 'a c', ['1: b > '], 'a b c'],
    ['has lost unchanged lines', 'a b c d', 'a x c d', 'a x', ['1: b > x'], 'a b'],
    ['has an added line rewritten', 'a c', 'a x y c', 'a p y c', ['2:  > y'], 'a p c'],
    ['has a replaced line rewritten', 'a b c', 'a x c', 'a p c', ['1: b >  !'], 'a b p c'],
    ['has an old line back', 'a b c', 'a x c', 'a b c', [], 'a b c'],
    ['has one of the old lines back', 'a b c d e', 'a x y z e', 'a x c z e', ['1: b > x', '3: d > z'], 'a b c d e'],
    ['has a deleted line back', 'a b c', 'a c', 'a b c', [], 'a b c'],
    ['has one of the deleted lines back behind a line of others', 'a b c d e', 'a b e', 'a x d e', ['2: c > '], 'a x c d e'],
    ['has only the first of two old lines back', 'a b c d e', 'a x c y e', 'a b e', ['2: d > '], 'a b d e'],
    ['has lost all around', 'a b c d e', 'a b x d e', 'a e', [], 'a e'],
    ['has an old line in another place', 'a b', 'a y', 'b y', ['1:  > y'], 'b'],
  ] as const) {
    it(`are told and undone in a text that ${title}`, () => {
      assert.deepEqual(told(base, left, now), changes);
      assert.equal(undone(base, left, now), result);
    });
  }

  it('name the right old lines where others have restored a line that the base does not have', () => {
    const [original, typed, left, now] = texts('a b c d e', 'b c d e', 'b c e', 'a b c e') as [
      ...[string[], string[], string[], string[]],
    ];
    const weave = Weave.of(original).advanced(others, typed).advanced('chat', left);
    const { changes, undoEdits } = weave.standing('chat', now);
    assert.deepEqual(
      changes.map(({ baseStart, baseEnd }) => weave.computeBase('chat').slice(baseStart, baseEnd)),
      [['d']],
    );
    assert.deepEqual(applyEdits(now, undoEdits(changes)), original);
  });

  it('are undone or kept in part', () => {
    const [base, left] = texts('a b c', 'a x y z c') as [string[], string[]];
    const { changes, undoEdits } = standing(base, left, left);
    const [change] = changes;
    assert.ok(change);
    const undo = (from: number, to: number) => {
      const part = cutChange(change, from, to);
      return part && applyEdits(left, undoEdits([part])).join(' ');
    };
    const keep = (from: number, to: number) => {
      const part = cutChange(change, from, to);
      return part && applyEdits(base, keepEdits(left, [part])).join(' ');
    };
    assert.deepEqual(
      [undo(1, 2), undo(2, 3), undo(1, 3), undo(0, 9), undo(4, 5)],
      ['a b y z c', 'a x z c', 'a b z c', 'a b c', undefined],
    );
    assert.deepEqual([keep(1, 2), keep(2, 3), keep(3, 4), keep(0, 9)], ['a x c', 'a b y c', 'a b z c', 'a x y z c']);
  });

  const length = 12;
  for (const seed of seeds(60)) {
    it(`never lose a line of somebody else, and leave the base where nobody else did anything (seed ${seed})`, () => {
      const random = randomOf(seed);
      const written = { count: 0 };
      const change = (text: readonly string[], name: string, times: number): string[] => {
        const lines = [...text];
        for (let time = 0; time < times; time += 1) {
          const at = Math.floor(random() * (lines.length + 1));
          const added = Array.from({ length: Math.floor(random() * 3) }, () => `${name}${(written.count += 1)}`);
          lines.splice(at, Math.floor(random() * 3), ...added);
        }
        return lines;
      };
      const base = Array.from({ length }, (_unused, index) => `base${index}`);
      const left = change(base, 'agent', 3);
      assert.deepEqual(allUndone(base, left, left), base);
      const now = change(left, 'own', 3);
      const { changes, undoEdits } = standing(base, left, now);
      const result = applyEdits(now, undoEdits(changes));
      const own = (lines: readonly string[]) => lines.filter((line) => line.startsWith('own'));
      assert.deepEqual(own(result), own(now));
      assert.deepEqual(
        result.filter((line) => line.startsWith('agent')),
        [],
      );
      const one = changes[Math.floor(random() * changes.length)];
      if (one === undefined) return;
      const isThere = (found: readonly StandingChange[]) =>
        found.some(({ baseStart, baseEnd }) => baseStart === one.baseStart && baseEnd === one.baseEnd);
      assert.equal(isThere(standing(base, left, applyEdits(now, undoEdits([one]))).changes), false);
      const kept = applyEdits(base, keepEdits(now, [one]));
      assert.equal(standing(kept, left, now).changes.length, changes.length - 1);
    });
  }
});

/** Like in editors, a text with a final line ending has an empty last line. */
it('Lines are those of an editor', () => assert.deepEqual(splitEditorLines('a\nb\n'), ['a', 'b', '']));

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
