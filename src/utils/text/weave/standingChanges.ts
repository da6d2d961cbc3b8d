import type { LineEdit } from '../lineEdits';
import { isInBase, isPresent, isRemovedBy, isWritten, type WovenLine } from './wovenLine';

/** Part of a chat's change that still exists in a text after edits by others. Lines are 0-based. Ends are exclusive. */
export interface StandingChange {
  /** Lines of the base that the chat removed. */
  baseStart: number;
  baseEnd: number;
  /** Lines of the text that the chat wrote instead, in ascending order. */
  lines: number[];
  /**
   * Range in the text, from the first of `lines` to the end of the last. Without lines, the line
   * before which the old lines would be inserted.
   */
  start: number;
  end: number;
  /** Last message of the chat that wrote or removed one of the lines. */
  turn: number;
  /** True if others rewrote or moved lines that had replaced lines of the base. Only the user can resolve such a change. */
  isContested: boolean;
}

/** Changes of a chat that still exist in a text, in order. */
export interface Standing {
  changes: StandingChange[];
  /** Returns the edits of the text that undo changes. `parts` contains whole changes or results of `cutChange`. */
  undoEdits: (parts: readonly Pick<StandingChange, 'baseStart' | 'baseEnd' | 'lines'>[]) => LineEdit[];
}

/** Finds the changes of a chat that still exist in the lines of a weave. For `settled`, see `isInBase`. */
export function standingIn(lines: readonly WovenLine[], author: string, settled: number): Standing {
  const finder = new ChangeFinder(author, settled, linesMovedOn(lines, author));
  for (const line of lines) finder.pass(line);
  finder.close();
  return { changes: finder.changes, undoEdits: (parts) => undoEdits(lines, author, settled, parts) };
}

/** Change that is still being collected. */
interface Open extends StandingChange {
  /**
   * Replacements by others inside the change. `added` contains the replacements that added lines, and `lost` the replacements
   * that removed lines of the chat.
   */
  added: Set<number>;
  lost: Set<number>;
}

class ChangeFinder {
  readonly changes: StandingChange[] = [];
  private open: Open | undefined;
  private base = 0;
  private now = 0;
  /** Replacement by others that removed the last line before the open change. 0 if there is none. */
  private removedBefore = 0;

  constructor(
    private readonly author: string,
    private readonly settled: number,
    private readonly movedOn: ReadonlySet<string>,
  ) {}

  pass(line: WovenLine): void {
    const { author, settled } = this;
    const isOfBase = isInBase(line, author, settled);
    if (isOfBase && !isPresent(line) && isRemovedBy(line, author)) {
      // A later message that replaced the next lines has its own change.
      if (this.open !== undefined && this.open.lines.length > 0 && this.open.turn !== line.turn) this.close();
      const open = this.opened();
      open.isContested ||= this.movedOn.has(line.text);
      if (open.baseStart === open.baseEnd) open.start = this.now;
      open.baseEnd = this.base + 1;
      open.turn = Math.max(open.turn, line.turn);
    } else if (isWritten(line, author)) {
      const open = this.opened();
      open.lines.push(this.now);
      open.turn = Math.max(open.turn, line.turn);
    } else if (isOfBase) {
      const isRemoved = !isPresent(line) && line.removedIn > settled;
      this.close(isRemoved ? line.removedIn : 0);
      this.removedBefore = isRemoved ? line.removedIn : 0;
    } else if (isPresent(line)) this.opened().added.add(line.addedIn);
    else if (line.author === author && line.removedIn > settled) this.opened().lost.add(line.removedIn);
    if (isOfBase) this.base += 1;
    if (isPresent(line)) this.now += 1;
  }

  /** Ends the open change. `removedAfter` is the replacement by others that removed the next line, or 0. */
  close(removedAfter = 0): void {
    const { open } = this;
    this.open = undefined;
    if (open === undefined || (open.lines.length === 0 && open.baseStart === open.baseEnd)) return;
    const { added, lost, ...change } = open;
    const first = change.lines[0];
    if (first !== undefined) change.start = first;
    change.end = (change.lines.at(-1) ?? change.start - 1) + 1;
    const isRewritten = [...added].some(
      (number) => lost.has(number) || (number === removedAfter && number === this.removedBefore),
    );
    this.changes.push({ ...change, isContested: change.isContested || (change.baseStart < change.baseEnd && isRewritten) });
  }

  private opened(): Open {
    this.open ??= {
      baseStart: this.base,
      baseEnd: this.base,
      lines: [],
      start: this.now,
      end: this.now,
      turn: -1,
      isContested: false,
      added: new Set<number>(),
      lost: new Set<number>(),
    };
    return this.open;
  }
}

/** Returns lines that a chat moved and that others then moved again. Moving them back would duplicate them. */
function linesMovedOn(lines: readonly WovenLine[], author: string): Set<string> {
  const moved = new Map<string, number>();
  for (const line of lines)
    if (line.author === author && !isPresent(line) && line.text.trim().length > 1) moved.set(line.text, line.addedIn);
  if (moved.size === 0) return new Set();
  const isMovedOn = (line: WovenLine) =>
    line.author !== author && isPresent(line) && line.addedIn > (moved.get(line.text) ?? Infinity);
  return new Set(lines.filter(isMovedOn).map(({ text }) => text));
}

function undoEdits(
  lines: readonly WovenLine[],
  author: string,
  settled: number,
  parts: readonly Pick<StandingChange, 'baseStart' | 'baseEnd' | 'lines'>[],
): LineEdit[] {
  const written = new Set(parts.flatMap(({ lines }) => lines));
  const edits: LineEdit[] = [];
  const edit = (start: number, end: number, added: string[]) => {
    const last = edits.at(-1);
    if (last?.end === start) {
      last.end = end;
      last.lines.push(...added);
    } else edits.push({ start, end, lines: added });
  };
  let base = 0;
  let now = 0;
  for (const line of lines) {
    const isOfBase = isInBase(line, author, settled);
    const isOld = isOfBase && !isPresent(line) && isRemovedBy(line, author);
    if (isOld && parts.some(({ baseStart, baseEnd }) => baseStart <= base && base < baseEnd)) edit(now, now, [line.text]);
    if (written.has(now) && isPresent(line)) edit(now, now + 1, []);
    if (isOfBase) base += 1;
    if (isPresent(line)) now += 1;
  }
  return edits;
}

/** Returns the edits that apply the surviving parts of changes to the base. */
export function keepEdits(now: readonly string[], changes: readonly StandingChange[]): LineEdit[] {
  return changes.map(({ baseStart, baseEnd, lines }) => {
    return { start: baseStart, end: baseEnd, lines: lines.map((line) => now[line] ?? '') };
  });
}

/**
 * Returns the part of a change in the lines `from` to `to` of the text. Each new line corresponds to the old line at the
 * same index. The last new line corresponds to all remaining old lines. Returns undefined if no part is in the range.
 */
export function cutChange(change: StandingChange, from: number, to: number): StandingChange | undefined {
  const { lines, baseStart, baseEnd, start } = change;
  if (lines.length === 0) return from <= start && start <= to ? change : undefined;
  const first = lines.findIndex((line) => line >= from && line < to);
  if (first < 0) return undefined;
  const last = lines.findLastIndex((line) => line >= from && line < to);
  const chosen = lines.slice(first, last + 1);
  return {
    ...change,
    lines: chosen,
    start: chosen[0] ?? start,
    end: (chosen.at(-1) ?? start) + 1,
    baseStart: Math.min(baseStart + first, baseEnd),
    baseEnd: last === lines.length - 1 ? baseEnd : Math.min(baseStart + last + 1, baseEnd),
  };
}
