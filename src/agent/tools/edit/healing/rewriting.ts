import type { Hunk } from '../../../../utils/text/hunk';
import { diffLines } from '../../../../utils/text/lineDiff';
import { diffWords, tokensOf } from '../../../../utils/text/wordDiff';

/** Characters of a line beyond which only whole lines are compared. */
const longest = 2000;
/** Share of its words that a changed line has in common with the one that it was made of. */
const leastAlike = 0.4;

/**
 * Returns new lines for a place that was found though it was copied with a slip. Lines that stay are written as the file has them, and in changed
 * ones what was only copied, too. `asked` and `there`: the lines as they were copied and as they are in the file, as many of both. `indent` is
 * for lines that are new.
 */
export function rewritten(
  asked: readonly string[],
  there: readonly string[],
  made: readonly string[],
  indent: (line: string) => string,
): string[] {
  const result: string[] = [];
  let at = 0;
  for (const hunk of diffLines(asked, made)) {
    result.push(...there.slice(at, hunk.beforeStart));
    for (let index = hunk.afterStart; index < hunk.afterEnd; index += 1) {
      const from = originOf(index, hunk, asked, made);
      result.push(fitted(indent(made[index] ?? ''), asked[from] ?? '', there[from] ?? ''));
    }
    at = hunk.beforeEnd;
  }
  return [...result, ...there.slice(at)];
}

/** Returns a changed line with what the line that it was made of has otherwise in the file than in the copy. */
function fitted(line: string, asked: string, there: string): string {
  const [said, right, body] = [asked.trim(), there.trim(), line.trimStart()];
  if (said === '' || said === right || said.length + body.length > longest) return line;
  return line.slice(0, line.length - body.length) + merged(tokensOf(said), tokensOf(right), tokensOf(body));
}

/** Returns the line that a changed one was made of; -1 if there is none, or another one is more like it. */
function originOf(index: number, hunk: Hunk, asked: readonly string[], made: readonly string[]): number {
  const alike = (from: number, to: number): number => likeness(asked[from] ?? '', made[to] ?? '');
  let [best, bestAt] = [leastAlike, -1];
  for (let at = hunk.beforeStart; at < hunk.beforeEnd; at += 1) {
    if (alike(at, index) > best) [best, bestAt] = [alike(at, index), at];
  }
  for (let other = hunk.afterStart; other < hunk.afterEnd && bestAt >= 0; other += 1) {
    if (alike(bestAt, other) > best) return -1;
  }
  return bestAt;
}

function likeness(one: string, other: string): number {
  const [words, others] = [one, other].map((line) => tokensOf(line).filter((token) => token.trim() !== '')) as [
    string[],
    string[],
  ];
  const all = new Set(others);
  return words.length === 0 ? 0 : words.filter((word) => all.has(word)).length / Math.max(words.length, others.length);
}

/** Merges what a file has with what a model made of its copy; where both changed the same, the model's is kept. */
function merged(said: readonly string[], right: readonly string[], made: readonly string[]): string {
  const changes = diffWords(said, made).map((hunk) => ({ hunk, tokens: made.slice(hunk.afterStart, hunk.afterEnd) }));
  const edits = [...changes];
  for (const hunk of diffWords(said, right)) {
    const tokens = right.slice(hunk.afterStart, hunk.afterEnd);
    const same = changes.find((change) => isSamePlace(change.hunk, hunk));
    if (same !== undefined) same.tokens = [grown(textOf(said, hunk), tokens.join(''), same.tokens.join(''))];
    else if (!changes.some((change) => isTouching(hunk, change.hunk))) edits.push({ hunk, tokens });
  }
  edits.sort((one, other) => one.hunk.beforeStart - other.hunk.beforeStart || one.hunk.beforeEnd - other.hunk.beforeEnd);
  const result: string[] = [];
  let at = 0;
  for (const { hunk, tokens } of edits) {
    result.push(...said.slice(at, hunk.beforeStart), ...tokens);
    at = hunk.beforeEnd;
  }
  return [...result, ...said.slice(at)].join('');
}

function textOf(tokens: readonly string[], { beforeStart, beforeEnd }: Hunk): string {
  return tokens.slice(beforeStart, beforeEnd).join('');
}

/** Returns a word that grew out of a copied one, out of the right one. */
function grown(said: string, right: string, made: string): string {
  const isLonger = right.length > said.length;
  if (said === '' || (isLonger && (made.startsWith(right) || made.endsWith(right)))) return made;
  if (made.startsWith(said)) return right + made.slice(said.length);
  return made.endsWith(said) ? made.slice(0, made.length - said.length) + right : made;
}

function isSamePlace(one: Hunk, other: Hunk): boolean {
  return one.beforeStart === other.beforeStart && one.beforeEnd === other.beforeEnd;
}

function isTouching(one: Hunk, other: Hunk): boolean {
  return one.beforeStart < other.beforeEnd && other.beforeStart < one.beforeEnd;
}
