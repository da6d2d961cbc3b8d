import assert from 'node:assert/strict';
import type { Hunk } from '../../../src/utils/text/hunk';
import { diffLines } from '../../../src/utils/text/lineDiff';
import { splitLines, unifiedDiff } from '../../../src/utils/text/unifiedDiff';
import { Random } from '../../webview/support/random';
import { seeds } from '../../support/rounds';

function applied(hunks: readonly Hunk[], before: readonly string[], after: readonly string[]): string[] {
  const made: string[] = [];
  let place = 0;
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of hunks) {
    assert.ok(beforeStart >= place, 'hunks are in order and apart');
    assert.equal(beforeStart - place, afterStart - made.length, 'what is between hunks is the same on both sides');
    made.push(...before.slice(place, beforeStart), ...after.slice(afterStart, afterEnd));
    place = beforeEnd;
  }
  return [...made, ...before.slice(place)];
}

/** Applies a diff by its format only, like an independent patch tool. */
function patched(before: string, diff: string): string {
  const old = splitLines(before);
  const made: string[] = [];
  let place = 0;
  let last = '';
  for (const line of diff.split('\n').slice(2, -1)) {
    const isRemoved = last.startsWith('-');
    last = line;
    const range = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$/.exec(line);
    if (range !== null) {
      const start = range[2] === '0' ? Number(range[1]) : Number(range[1]) - 1;
      made.push(...old.slice(place, start));
      place = start;
    } else if (line.startsWith('\\')) {
      if (!isRemoved) made[made.length - 1] = (made.at(-1) ?? '').slice(0, -1);
    } else if (line.startsWith('-')) place += 1;
    else {
      made.push(`${line.slice(1)}\n`);
      if (line.startsWith(' ')) place += 1;
    }
  }
  return [...made, ...old.slice(place)].join('');
}

function someLines(random: Random, count: number, words: number): string[] {
  return Array.from({ length: count }, () => `line ${random.integer(words)}\n`);
}

/** Inserts, removes and replaces random lines. */
function changed(random: Random, lines: readonly string[], times: number, word: string): string[] {
  const made = [...lines];
  for (let index = 0; index < times; index += 1) {
    const place = random.integer(made.length + 1);
    made.splice(place, random.integer(3), ...someLines(random, random.integer(3), 5).map((line) => `${word} ${line}`));
  }
  return made;
}

describe('the diff by lines', () => {
  it('tells what was added, removed and replaced', () => {
    assert.deepEqual(diffLines(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e']), [
      { beforeStart: 1, beforeEnd: 2, afterStart: 1, afterEnd: 2 },
      { beforeStart: 4, beforeEnd: 4, afterStart: 4, afterEnd: 5 },
    ]);
    assert.deepEqual(diffLines(['a'], ['a']), []);
    assert.deepEqual(diffLines([], ['a']), [{ beforeStart: 0, beforeEnd: 0, afterStart: 0, afterEnd: 1 }]);
  });

  it('makes one text out of the other, whatever they are', () => {
    for (const seed of seeds(300)) {
      const random = new Random(seed);
      const before = someLines(random, random.integer(40), 1 + random.integer(30));
      const after =
        seed % 3 === 0 ? someLines(random, random.integer(40), 20) : changed(random, before, random.integer(6), 'new');
      assert.deepEqual(applied(diffLines(before, after), before, after), after, `seed ${seed}`);
    }
  });

  it('is as short as can be where it can be searched', () => {
    const hunks = diffLines(['a', 'b', 'a', 'b', 'a'], ['b', 'a', 'b', 'a', 'a']);
    assert.equal(
      hunks.reduce((sum, hunk) => sum + hunk.beforeEnd - hunk.beforeStart + hunk.afterEnd - hunk.afterStart, 0),
      2,
    );
  });

  it('finishes on 20,000 rewritten lines and on 20,000 that are all alike', () => {
    const random = new Random(7);
    const before = someLines(random, 20_000, 50);
    const after = someLines(random, 20_000, 50);
    assert.deepEqual(applied(diffLines(before, after), before, after), after);
    const unlike = after.map((line, index) => `${line} ${index}`);
    assert.equal(diffLines(before, unlike).length, 1);
    const alike = Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? 'x' : 'y'));
    const shifted = [...alike.slice(1), 'z'];
    assert.deepEqual(applied(diffLines(alike, shifted), alike, shifted), shifted);
  });

  it('keeps 500 places apart in a long file', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    const after = before.map((line, index) => (index % 40 === 7 ? `${line} changed` : line));
    assert.equal(diffLines(before, after).length, 500);
  });
});

describe('the unified diff', () => {
  const names = { before: 'a.txt', after: 'a.txt' };

  it('has three lines of context and joins hunks that are near', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`).join('');
    const after = before.replace('5\n', 'five\n').replace('8\n', '').replace('20\n', '20');
    assert.deepEqual(unifiedDiff(names, before, after), {
      diff: [
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -2,10 +2,9 @@',
        ...[' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', '-8', ' 9', ' 10', ' 11'],
        '@@ -17,4 +16,4 @@',
        ...[' 17', ' 18', ' 19', '-20', '+20', '\\ No newline at end of file', ''],
      ].join('\n'),
      additions: 2,
      deletions: 3,
    });
  });

  it('is read by others as it is meant', () => {
    for (const seed of seeds(100)) {
      const random = new Random(seed);
      const before = someLines(random, 1 + random.integer(60), 30);
      const after = changed(random, before, 1 + random.integer(8), 'new')
        .join('')
        .replace(/\n$/, seed % 2 === 0 ? '' : '\n');
      assert.equal(patched(before.join(''), unifiedDiff(names, before.join(''), after).diff), after, `seed ${seed}`);
    }
  });

  it('says what is left out of a very long one', () => {
    const { diff, additions } = unifiedDiff({ before: null, after: 'a.txt' }, '', `${'x'.repeat(999)}\n`.repeat(300));
    assert.ok(diff.length < 210_000);
    assert.match(diff, /\n\\ \d+ more lines of this diff are left out\.\n$/);
    assert.equal(additions, 300);
  });
});
