import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Hunk } from '../../../src/utils/text/hunk';
import { slideHunks } from '../../../src/utils/text/hunkSlide';
import { diffLines } from '../../../src/utils/text/lineDiff';
import { splitLines } from '../../../src/utils/text/unifiedDiff';
import { Random } from '../../webview/support/random';
import { Workbench } from '../database/support/stores';

const bench = new Workbench();
after(() => bench.clean());

/** Returns the changed lines of both texts. */
function changed(before: string[], after: string[]): { added: string[][]; removed: string[][] } {
  const hunks = diffLines(before, after);
  const added = hunks.map(({ afterStart, afterEnd }) => after.slice(afterStart, afterEnd));
  return { added, removed: hunks.map(({ beforeStart, beforeEnd }) => before.slice(beforeStart, beforeEnd)) };
}

function method(name: string): string[] {
  return ['  /**', `   * Returns ${name}.`, '   */', `  ${name}() {`, `    return ${name};`, '  }'];
}

describe('the place of a hunk', () => {
  it('is the method that was added, from its first line to its last', () => {
    const before = ['class A {', ...method('one'), '', ...method('three'), '}', ''];
    const after = ['class A {', ...method('one'), '', ...method('two'), '', ...method('three'), '}', ''];
    assert.deepEqual(changed(before, after).added, [[...method('two'), '']]);
    assert.deepEqual(changed(after, before).removed, [[...method('two'), '']]);
  });

  it('is the block that was added, where no blank line divides', () => {
    const block = (name: string) => ['    if (isOn) {', `      run('${name}');`, '    }'];
    const before = ['  start() {', ...block('a'), ...block('c'), '  }'];
    const after = ['  start() {', ...block('a'), ...block('b'), ...block('c'), '  }'];
    assert.deepEqual(changed(before, after).added, [block('b')]);
  });

  it('is beside a change of the other side', () => {
    const before = ['a', 'old', 'b', 'x', 'c'];
    const after = ['a', 'b', 'x', 'b', 'x', 'c'];
    assert.deepEqual(diffLines(before, after), [{ beforeStart: 1, beforeEnd: 2, afterStart: 1, afterEnd: 3 }]);
  });

  it('does not depend on whether lines have their ends', () => {
    const before = `class A {\n${method('one').join('\n')}\n}\n`;
    const after = `class A {\n${method('one').join('\n')}\n\n${method('two').join('\n')}\n}\n\nfunction b() {\n}\n`;
    assert.deepEqual(diffLines(before.split('\n'), after.split('\n')), diffLines(splitLines(before), splitLines(after)));
  });

  it('joins hunks that meet', () => {
    const hunks = diffLines(['x', 'y', 'x', 'y', 'x', 'y'], ['x', 'y']);
    assert.deepEqual(hunks, [{ beforeStart: 2, beforeEnd: 6, afterStart: 2, afterEnd: 2 }]);
  });

  it('is the one of git where a block of code was added or removed', () => {
    const pairs = pairsOf(1);
    const theirs = gitHunks(pairs, '--indent-heuristic');
    for (const [index, [before, after]] of pairs.entries())
      assert.deepEqual(diffLines(splitLines(before), splitLines(after)), theirs[index], `seed ${index}\n${before}\n=>\n${after}`);
  });

  it('is the one of git for hunks that git has found but not moved', () => {
    const pairs = pairsOf(3);
    const found = gitHunks(pairs, '--no-indent-heuristic');
    const moved = gitHunks(pairs, '--indent-heuristic');
    for (const [index, [before, after]] of pairs.entries()) {
      const slid = slideHunks(found[index] ?? [], splitLines(before), splitLines(after));
      assert.deepEqual(slid, moved[index], `seed ${index}\n${before}\n=>\n${after}`);
    }
    assert.notDeepEqual(found, moved);
  });
});

function pairsOf(edits: number): [string, string][] {
  return Array.from({ length: 300 }, (_, seed) => pairOf(new Random(seed), edits));
}

/** Returns code with methods, branches and blank lines, and a version in which blocks are removed, added or duplicated. */
function pairOf(random: Random, edits: number): [string, string] {
  const blocks = Array.from({ length: 3 + random.integer(6) }, () => block(random, random.integer(3)));
  const changed = [...blocks];
  for (let edit = 0; edit < edits && changed.length > 0; edit += 1) {
    const at = random.integer(changed.length);
    if (random.integer(100) < 40) changed.splice(at, 1);
    else
      changed.splice(
        at,
        0,
        random.integer(100) < 50 ? block(random, random.integer(3)) : (blocks[random.integer(blocks.length)] as string[]),
      );
  }
  return [textOf(blocks), textOf(changed)];
}

function block(random: Random, depth: number): string[] {
  const indent = random.integer(100) < 20 ? '\t'.repeat(depth) : '  '.repeat(depth);
  const head = [`${indent}// note ${random.integer(3)}`].slice(random.integer(2));
  const body = Array.from({ length: random.integer(3) }, () => `${indent}  call(${random.integer(3)});`);
  const tail = Array.from({ length: random.integer(3) }, () => '');
  return [...head, `${indent}function f${random.integer(30)}() {`, ...body, `${indent}}`, ...tail];
}

function textOf(blocks: readonly string[][]): string {
  return blocks
    .flat()
    .map((line) => `${line}\n`)
    .join('');
}

/** Runs git once to get the hunks of all pairs. */
function gitHunks(pairs: readonly [string, string][], heuristic: string): Hunk[][] {
  const folder = bench.folder();
  for (const [side, name] of ['a', 'b'].entries()) {
    mkdirSync(path.join(folder, name));
    for (const [index, pair] of pairs.entries()) writeFileSync(path.join(folder, name, String(index)), pair[side] as string);
  }
  const options = ['--no-index', '--no-color', '--no-ext-diff', heuristic, '--diff-algorithm=myers', '-U0'];
  const { stdout } = spawnSync('git', ['diff', ...options, 'a', 'b'], { cwd: folder, encoding: 'utf8', maxBuffer: 100_000_000 });
  const hunks: Hunk[][] = pairs.map(() => []);
  for (const part of stdout.split(/^diff --git /m).slice(1)) {
    const index = Number(/^a\/\S*?(\d+) /.exec(part)?.[1]);
    for (const [, from, count = '1', to, length = '1'] of part.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)) {
      const beforeStart = Number(from) - (count === '0' ? 0 : 1);
      const afterStart = Number(to) - (length === '0' ? 0 : 1);
      const ends = { beforeEnd: beforeStart + Number(count), afterEnd: afterStart + Number(length) };
      hunks[index]?.push({ beforeStart, afterStart, ...ends });
    }
  }
  return hunks;
}
