import { alignLines, mostWorth } from '../alignment';
import { applyEdits } from '../lineEdits';
import { advance, advanceByOthers, worthOfPresent } from './advance';
import { keepEdits, standingIn, type Standing, type StandingChange } from './standingChanges';
import { including, isInBase, isPresent, isRemovedBy, isWritten, others, type WovenLine } from './wovenLine';

/** Maximum number of single changes to try when determining which change was kept or undone. */
const mostTried = 5;

/**
 * Contains all lines that a file has had since a known state, in one order, with the authors that wrote and
 * removed each line. This is a weave, as in SCCS (M. Rochkind, The Source Code Control System, 1975). It
 * determines the changes of a chat in a text that others have edited since, and the text without these
 * changes. Changes can be undone in any order. Immutable.
 */
export class Weave {
  private constructor(
    readonly lines: readonly WovenLine[],
    /** Number of the last replacement. */
    readonly replacements: number,
    /** Number of the last replacement before the user typed next to pending changes. */
    readonly settled: number,
  ) {}

  /** Returns the weave of an original text. */
  static of(lines: readonly string[]): Weave {
    return new Weave(
      lines.map((text) => ({ text, author: others, turn: -1, removedBy: [], addedIn: 0, removedIn: 0 })),
      0,
      0,
    );
  }

  /**
   * Returns the weave after `author` changed the text to `target`.
   * If the user rewrote lines of a chat, the user's version counts.
   */
  advanced(author: string, target: readonly string[], turn = -1): Weave {
    const { lines, replacements } =
      author === others ? advanceByOthers(this, target) : advance(this, { author, turn }, target, worthOfPresent);
    return new Weave(author === others ? withoutRewritten(lines, this.settled) : lines, replacements, replacements);
  }

  /** Returns the weave after others changed the text to `from`, and undoing some of a chat's changes resulted in `to`. */
  undone(author: string, from: readonly string[], to: readonly string[]): Weave {
    const { lines, replacements } = advanceByOthers(this, from);
    return new Weave(lines, replacements, this.settled).undoneTo(author, to);
  }

  /** Returns the weave after all changes of a chat were undone. The resulting text is not known yet. */
  withdrawn(author: string): Weave {
    const lines = this.lines.map((line) => {
      if (line.author === author) return { ...line, removedBy: including(line.removedBy, others) };
      return line.removedBy.includes(author) ? { ...line, removedBy: line.removedBy.filter((one) => one !== author) } : line;
    });
    return new Weave(lines, this.replacements, this.settled);
  }

  /**
   * Returns the weave after some of a chat's changes were kept, which changed the base (`computeBase`) to `base`.
   * These changes then belong to the file, not to the chat.
   */
  accepted(author: string, base: readonly string[]): Weave {
    const now = this.text();
    const before = this.computeBase(author);
    const { changes } = this.standingHere(author);
    const at = ({ baseStart }: StandingChange) => baseStart;
    const parts = chosen(changes, { from: before, target: base, at }, (given) => applyEdits(before, keepEdits(now, given)));
    if (parts !== undefined) {
      const old = (line: WovenLine) => ({ ...line, removedBy: [others] });
      return this.changed(author, parts, { old, written: (line) => ({ ...line, author: others }) });
    }
    const known = this.lines.map((line, index) => (this.isOfBase(line, author) || isWritten(line, author) ? index : -1));
    const candidates = known.filter((index) => index >= 0);
    const texts = candidates.map((index) => this.lines[index]?.text ?? '');
    const found = alignLines(texts, base, (index) => {
      const line = this.lines[candidates[index] as number] as WovenLine;
      return line.author === author ? 0 : isPresent(line) ? mostWorth : 1;
    });
    const kept = new Set([...found].filter((index) => index >= 0).map((index) => candidates[index]));
    const lines = this.lines.map((line, index) => {
      if (kept.has(index)) return line.author === author ? { ...line, author: others } : line;
      return this.isOfBase(line, author) && line.removedBy.includes(author) ? { ...line, removedBy: [others] } : line;
    });
    return new Weave(lines, this.replacements, this.settled);
  }

  /** Returns the lines of the text. */
  text(): string[] {
    return this.lines.filter(isPresent).map(({ text }) => text);
  }

  /** Returns the lines of the text without the changes of a chat, and without the text that the user typed next to them. */
  computeBase(author: string): string[] {
    return this.lines.filter((line) => this.isOfBase(line, author)).map(({ text }) => text);
  }

  /** Returns true if a chat has ever changed a line. */
  isChangedBy(author: string): boolean {
    return this.lines.some(
      (line) => line.author === author || line.removedBy.includes(author) || (line.author === others && line.turn >= 0),
    );
  }

  /** Returns the changes of a chat that still exist in `now`, which is this text with changes by others. */
  standing(author: string, now: readonly string[]): Standing {
    // The base stays the same, even if others restore a line that is not part of it.
    const lines = this.lines.map((line) =>
      isPresent(line) || line.author === author || this.isOfBase(line, author) ? line : { ...line, isOutsideBase: true as const },
    );
    return standingIn(advanceByOthers({ lines, replacements: this.replacements }, now).lines, author, this.settled);
  }

  private undoneTo(author: string, target: readonly string[]): Weave {
    const now = this.text();
    const { changes, undoEdits } = this.standingHere(author);
    const at = ({ start }: StandingChange) => start;
    const parts = chosen(changes, { from: now, target, at }, (given) => applyEdits(now, undoEdits(given)));
    if (parts !== undefined) {
      const old = (line: WovenLine) => ({ ...line, removedBy: [] });
      return this.changed(author, parts, { old, written: (line) => ({ ...line, removedBy: [others] }) });
    }
    const worth = (line: WovenLine) =>
      Math.max(worthOfPresent(line) - 1, 0) + Number(line.removedBy.every((one) => one === author));
    const { lines, replacements } = advance(this, { author: others, turn: -1 }, target, worth);
    return new Weave(lines, replacements, this.settled);
  }

  /** Returns the changes of a chat that still exist in the text itself. */
  standingHere(author: string): Standing {
    return standingIn(this.lines, author, this.settled);
  }

  private isOfBase(line: WovenLine, author: string): boolean {
    return isInBase(line, author, this.settled);
  }

  /** Returns the weave with the lines of the changes replaced. */
  private changed(
    author: string,
    parts: readonly StandingChange[],
    by: { old: (line: WovenLine) => WovenLine; written: (line: WovenLine) => WovenLine },
  ): Weave {
    const written = new Set(parts.flatMap(({ lines }) => lines));
    let base = 0;
    let now = 0;
    const lines = this.lines.map((line) => {
      const isOld = this.isOfBase(line, author);
      const isNow = isPresent(line);
      const result =
        isOld &&
        !isNow &&
        isRemovedBy(line, author) &&
        parts.some(({ baseStart, baseEnd }) => baseStart <= base && base < baseEnd)
          ? by.old(line)
          : isNow && written.has(now)
            ? by.written(line)
            : line;
      base += Number(isOld);
      now += Number(isNow);
      return result;
    });
    return new Weave(lines, this.replacements, this.settled);
  }
}

/**
 * Returns the changes that were kept or undone: a single change, the changes of one message, or all. `made` returns the text
 * after keeping or undoing the given changes. This text must equal `target`. `from` is the text before. `at` returns the first
 * line of a change in `from`.
 */
function chosen(
  changes: readonly StandingChange[],
  { from, target, at }: { from: readonly string[]; target: readonly string[]; at: (change: StandingChange) => number },
  made: (parts: readonly StandingChange[]) => readonly string[],
): readonly StandingChange[] | undefined {
  const turns = [...new Set(changes.map(({ turn }) => turn))];
  let same = 0;
  while (same < from.length && from[same] === target[same]) same += 1;
  // Up to `same`, the texts are equal. The nearest change before this position is tried first.
  const near = changes.filter((change) => at(change) <= same).reverse();
  const choices = [
    ...near.slice(0, mostTried).map((change) => [change]),
    ...turns.map((turn) => changes.filter((change) => change.turn === turn)),
    changes,
  ];
  return choices.find((parts) => isEqual(made(parts), target));
}

/** Marks old lines as removed by others if the user rewrote their replacements after the replacement `settled`. */
function withoutRewritten(lines: readonly WovenLine[], settled: number): WovenLine[] {
  const added = new Set(lines.filter(({ addedIn }) => addedIn > settled).map(({ addedIn }) => addedIn));
  const rewritten = lines.filter(({ author, removedIn }) => author !== others && added.has(removedIn));
  const gone = new Set(rewritten.map(({ addedIn }) => addedIn));
  return lines.map((line) =>
    !isPresent(line) && gone.has(line.removedIn) ? { ...line, removedBy: including(line.removedBy, others) } : line,
  );
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
