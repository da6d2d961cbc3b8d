import { alignLines, pairLines } from '../alignment';
import { diffLines } from '../lineDiff';
import { including, isPresent, others, type WovenLine } from './wovenLine';

/** Lines of a weave, and the number of its last replacement. */
export interface Woven {
  lines: readonly WovenLine[];
  replacements: number;
}

/**
 * Updates a weave to a text that others have changed. If the change is a restore, lines that a chat removed and that did not
 * return count as removed by the user.
 */
export function advanceByOthers(weave: Woven, target: readonly string[]): Woven {
  if (isText(weave.lines, target)) return weave;
  const own = { author: others, turn: -1 };
  if (!isBack(weave.lines, target)) return advance(weave, own, target, worthOfPresent);
  const { lines, replacements } = advance(weave, own, target, worthOfOriginal);
  const number = replacements + 1;
  return {
    lines: lines.map((line) =>
      isPresent(line) || line.removedBy.includes(others)
        ? line
        : { ...line, removedBy: [...line.removedBy, others], removedIn: number },
    ),
    replacements: number,
  };
}

/** Updates a weave to the text `target`. If several lines are equal, keeps or restores the line with the highest weight. */
export function advance(
  weave: Woven,
  { author, turn }: { author: string; turn: number },
  target: readonly string[],
  worth: (line: WovenLine) => number,
): Woven {
  const { lines } = weave;
  const candidates: number[] = [];
  const texts: string[] = [];
  let canReturn = false;
  lines.forEach((line, index) => {
    if (!isPresent(line) && !comesBack(line, author)) return;
    candidates.push(index);
    texts.push(line.text);
    canReturn ||= !isPresent(line);
  });
  // The lines of a chat are shown, so align them as `git diff` does, unless removed lines can return.
  const found =
    author !== others && !canReturn
      ? pairLines(diffLines(texts, target), texts.length)
      : alignLines(texts, target, (index) => worth(lines[candidates[index] as number] as WovenLine));
  const made: WovenLine[] = [];
  let place = 0;
  let next = 0;
  let replacements = weave.replacements;
  const gap = (end: number, until: number) => {
    if (place < end || next < until) {
      const change = { author, turn, number: replacements + 1 };
      if (replace(made, lines.slice(place, end), lines[end], target.slice(next, until), change)) replacements += 1;
    }
    place = end;
    next = until;
  };
  found.forEach((candidate, index) => {
    if (candidate < 0) return;
    const source = candidates[candidate] as number;
    gap(source, index);
    const line = lines[source] as WovenLine;
    made.push(isPresent(line) ? line : { ...line, removedBy: [] });
    place = source + 1;
    next = index + 1;
  });
  gap(lines.length, target.length);
  return { lines: made, replacements };
}

/**
 * Returns true if a text contains all original lines but not all lines of the previous text. This is
 * the case after a restore or a checkout with Git.
 */
function isBack(lines: readonly WovenLine[], target: readonly string[]): boolean {
  return isWithin(lines, ({ addedIn }) => addedIn === 0, target) && !isWithin(lines, isPresent, target);
}

/** Returns true if a text consists of the present lines. */
function isText(lines: readonly WovenLine[], target: readonly string[]): boolean {
  let place = 0;
  for (const line of lines) {
    if (!isPresent(line)) continue;
    if (target[place] !== line.text) return false;
    place += 1;
  }
  return place === target.length;
}

/** Returns true if a text contains all lines that `isMeant` selects, in the same order. */
function isWithin(lines: readonly WovenLine[], isMeant: (line: WovenLine) => boolean, target: readonly string[]): boolean {
  let place = 0;
  for (const line of lines) {
    if (!isMeant(line)) continue;
    while (place < target.length && target[place] !== line.text) place += 1;
    if (place === target.length) return false;
    place += 1;
  }
  return true;
}

/**
 * Returns the weight of a line. Among equal lines, present lines have the highest
 * weight, followed by lines that no chat wrote.
 */
export function worthOfPresent(line: WovenLine): number {
  return (isPresent(line) ? 2 : 0) + (line.author === others ? 1 : 0);
}

function worthOfOriginal(line: WovenLine): number {
  return (line.author === others ? 2 : 0) + (isPresent(line) ? 1 : 0);
}

/**
 * Returns true if a removed line can return. A chat can only restore lines of other authors that it removed itself. The user
 * cannot restore a line that a chat wrote and that the chat or the user removed. Otherwise, a line that the user types again
 * would belong to the chat.
 */
function comesBack(line: WovenLine, author: string): boolean {
  if (author !== others) return line.author !== author && line.removedBy.every((one) => one === author);
  return line.author === others || line.removedBy.every((one) => one !== others && one !== line.author);
}

/** Replaces the present lines in a gap of a weave with new lines. Returns true if anything was replaced. */
function replace(
  made: WovenLine[],
  gap: readonly WovenLine[],
  following: WovenLine | undefined,
  added: readonly string[],
  { author, turn, number }: { author: string; turn: number; number: number },
): boolean {
  let next = 0;
  const add = (until: number) => {
    for (const text of added.slice(next, until)) made.push({ text, author, turn, removedBy: [], addedIn: number, removedIn: 0 });
    next = Math.max(next, until);
  };
  let left = gap.filter(isPresent).length;
  const isReplaced = left > 0 || added.length > 0;
  const place = left === 0 ? placeIn(gap, following) : -1;
  const isSurrounded = added.length === 0 && author === others ? surrounded(gap) : () => false;
  gap.forEach((line, index) => {
    if (index === place) add(added.length);
    if (isPresent(line)) {
      made.push({ ...line, ...(author !== others && { turn }), removedBy: [author], removedIn: number });
      left -= 1;
      // Each new line follows the old line that it replaces. The remaining new lines follow the last old line.
      add(left === 0 ? added.length : next + 1);
    } else if (isSurrounded(line, index)) made.push({ ...line, removedBy: including(line.removedBy, others), removedIn: number });
    else made.push(line);
  });
  if (place === gap.length) add(added.length);
  return isReplaced;
}

/**
 * Returns the index at which to insert lines into a gap without present lines. The lines go after removed lines,
 * but before removed lines that the next line replaced.
 */
function placeIn(lines: readonly WovenLine[], following: WovenLine | undefined): number {
  let place = lines.length;
  if (following === undefined || following.addedIn === 0) return place;
  while (place > 0 && lines[place - 1]?.removedIn === following.addedIn) place -= 1;
  return place;
}

/** Finds removed lines in a gap that are between original lines that the user removes. */
function surrounded(lines: readonly WovenLine[]): (line: WovenLine, index: number) => boolean {
  const isOriginal = (line: WovenLine) => isPresent(line) && line.addedIn === 0;
  const first = lines.findIndex(isOriginal);
  const last = lines.findLastIndex(isOriginal);
  return (line, index) => !isPresent(line) && first < index && index < last;
}
