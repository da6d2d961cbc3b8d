import type { Hunk } from './hunk';

/**
 * Moves each movable hunk to the position where readers expect it. A hunk is movable if its first line equals the line after it,
 * or its last line equals the line before it. The best position is next to a change on the other side, otherwise at the start of
 * a block. The rule and weights are from git's indent heuristic, so that hunks have the same positions as in `git diff`. See
 * `xdl_change_compact` and `score_add_split` in git's xdiff/xdiffi.c.
 */
export function slideHunks(hunks: readonly Hunk[], before: readonly string[], after: readonly string[]): Hunk[] {
  // If lines are given without line breaks, a final empty line is not part of the file.
  const open = before.at(-1) === '' && after.at(-1) === '' ? 1 : 0;
  const [a, b] = createSides(hunks, before, after, open);
  for (const [side, other] of [[a, b] as const, [b, a] as const])
    for (let gap = 1; gap < side.kept.length; gap += 1) if (side.size(gap) > 0) gap = settle(side, other, gap);
  return toHunks(a, b);
}

/**
 * One side of a comparison. `kept` contains the indexes of the lines that both sides share, with -1 before them and the
 * number of lines after them. The n-th entries of both sides belong together. Gap n is the change between `kept[n - 1]`
 * and `kept[n]`. Moving a gap by a line changes one of these numbers.
 */
class Side {
  constructor(
    private readonly lines: readonly string[],
    readonly length: number,
    readonly kept: Int32Array,
  ) {}

  start(gap: number): number {
    return (this.kept[gap - 1] as number) + 1;
  }

  end(gap: number): number {
    return this.kept[gap] as number;
  }

  size(gap: number): number {
    return this.end(gap) - this.start(gap);
  }

  /** Moves a gap up by one line. It can then join the gap above. Returns false if it cannot move. */
  moveUp(gap: number): boolean {
    const above = this.start(gap) - 1;
    const last = this.end(gap) - 1;
    if (above < 0 || this.lines[above] !== this.lines[last]) return false;
    this.kept[gap - 1] = last;
    return true;
  }

  /** Moves a gap down by one line. It can then join the gap below. Returns false if it cannot move. */
  moveDown(gap: number): boolean {
    const first = this.start(gap);
    const below = this.end(gap);
    if (below === this.length || this.lines[first] !== this.lines[below]) return false;
    this.kept[gap] = first;
    return true;
  }

  /** Returns the indentation of a line in columns. Returns -1 for a blank line, and undefined outside the text. */
  indent(line: number): number | undefined {
    return line < 0 || line >= this.length ? undefined : measureIndent(this.lines[line] as string);
  }
}

function createSides(hunks: readonly Hunk[], before: readonly string[], after: readonly string[], open: number): [Side, Side] {
  const lengthA = before.length - open;
  const lengthB = after.length - open;
  const changed = hunks.reduce((sum, { beforeStart, beforeEnd }) => sum + beforeEnd - beforeStart, 0);
  const count = lengthA - changed;
  const keptA = new Int32Array(count + 2);
  const keptB = new Int32Array(count + 2);
  let fromA = 0;
  let fromB = 0;
  let at = 1;
  for (const hunk of [...hunks, { beforeStart: lengthA, beforeEnd: 0, afterEnd: 0 }]) {
    for (; fromA < hunk.beforeStart; at += 1) {
      keptA[at] = fromA++;
      keptB[at] = fromB++;
    }
    fromA = hunk.beforeEnd;
    fromB = hunk.afterEnd;
  }
  keptA[0] = -1;
  keptB[0] = -1;
  keptA[count + 1] = lengthA;
  keptB[count + 1] = lengthB;
  return [new Side(before, lengthA, keptA), new Side(after, lengthB, keptB)];
}

function toHunks(a: Side, b: Side): Hunk[] {
  const hunks: Hunk[] = [];
  for (let gap = 1; gap < a.kept.length; gap += 1) {
    if (a.size(gap) + b.size(gap) === 0) continue;
    hunks.push({ beforeStart: a.start(gap), beforeEnd: a.end(gap), afterStart: b.start(gap), afterEnd: b.end(gap) });
  }
  return hunks;
}

/**
 * Moves a gap up and down as far as possible, which joins other gaps. Then moves it to its
 * best position. Returns the index of the gap.
 */
function settle(side: Side, other: Side, gap: number): number {
  let size = 0;
  let top = 0;
  let beside = -1;
  do {
    size = side.size(gap);
    while (side.moveUp(gap)) gap -= 1;
    top = gap;
    beside = other.size(gap) > 0 ? gap : -1;
    while (side.moveDown(gap)) {
      gap += 1;
      if (other.size(gap) > 0) beside = gap;
    }
  } while (size !== side.size(gap));
  const place = beside < 0 ? bestPlace(side, gap, top) : beside;
  for (; gap > place; gap -= 1) side.moveUp(gap);
  return gap;
}

const maxSlide = 100;

/**
 * Returns the position with the best score for a gap at its lowest position. If scores
 * are equal, returns the lowest position.
 */
function bestPlace(side: Side, gap: number, top: number): number {
  const start = side.start(gap);
  const end = side.end(gap);
  let place = gap;
  let best: Edge | null = null;
  for (let up = Math.min(gap - top, end - start + 1, maxSlide); up >= 0; up -= 1) {
    const first = edgeAt(side, start - up);
    const last = edgeAt(side, end - up);
    const both = { indent: first.indent + last.indent, badness: first.badness + last.badness };
    if (best !== null && 60 * Math.sign(both.indent - best.indent) + both.badness - best.badness > 0) continue;
    place = gap - up;
    best = both;
  }
  return place;
}

/** Score of a hunk boundary. Lower indentation and lower badness are better. */
interface Edge {
  indent: number;
  badness: number;
}

const blank = -1;

function edgeAt(side: Side, line: number): Edge {
  const above = nextText(side, line - 1, -1);
  const below = nextText(side, line + 1, 1);
  const own = side.indent(line) ?? blank;
  const blanksBelow = own === blank ? 1 + below.blanks : 0;
  const blanks = above.blanks + blanksBelow;
  const indent = own === blank ? below.indent : own;
  let badness = -30 * blanks + 6 * blanksBelow;
  if (above.indent === blank && above.blanks === 0) badness += 1;
  if (line >= side.length) badness += 21;
  if (indent !== blank && above.indent !== blank) {
    if (indent > above.indent) badness += blanks > 0 ? 10 : -4;
    // A line with less indentation than the line above starts a block if the next line has
    // more indentation. Otherwise, it ends a block.
    else if (indent < above.indent) badness += blanks > 0 ? 17 : below.indent > indent ? 24 : 23;
  }
  return { indent, badness };
}

const maxBlanks = 20;

/**
 * Returns the indentation of the nearest non-blank line, and the number of blank lines before it.
 * The indentation is -1 if there is no such line.
 */
function nextText(side: Side, from: number, step: 1 | -1): { indent: number; blanks: number } {
  for (let blanks = 0; blanks < maxBlanks; blanks += 1) {
    const indent = side.indent(from + step * blanks);
    if (indent !== blank) return { indent: indent ?? blank, blanks };
  }
  return { indent: 0, blanks: maxBlanks };
}

const maxIndent = 200;

function measureIndent(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === ' ') columns += 1;
    else if (character === '\t') columns += 8 - (columns % 8);
    else if (character !== '\n' && character !== '\r') return columns;
    if (columns >= maxIndent) return maxIndent;
  }
  return blank;
}
