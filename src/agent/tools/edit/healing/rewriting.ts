import type { Hunk } from '../../../../utils/text/hunk';
import { diffLines } from '../../../../utils/text/lineDiff';
import { diffWords, splitTokens } from '../../../../utils/text/wordDiff';

/** Maximum length of a line that is compared word by word. */
const maxLength = 2000;
/** Minimum share of words that a changed line must have in common with its original. */
const minSimilarity = 0.4;

/**
 * Returns the new lines that replace lines copied with an error. Unchanged lines and parts
 * of lines keep the text of the file. `asked` contains the lines as the model copied them.
 * `there` contains the matching lines of the file. `indent` is applied to new lines.
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
      const from = findOrigin(index, hunk, asked, made);
      result.push(fitted(indent(made[index] ?? ''), asked[from] ?? '', there[from] ?? ''));
    }
    at = hunk.beforeEnd;
  }
  return [...result, ...there.slice(at)];
}

/** Returns a changed line with the file's text in the parts that the model copied incorrectly. */
function fitted(line: string, asked: string, there: string): string {
  const said = asked.trim();
  const right = there.trim();
  const body = line.trimStart();
  if (said === '' || said === right || said.length + body.length > maxLength) return line;
  return line.slice(0, line.length - body.length) + merged(splitTokens(said), splitTokens(right), splitTokens(body));
}

/** Returns the index of the original of a changed line, or -1 if there is none or another changed line is more similar. */
function findOrigin(index: number, hunk: Hunk, asked: readonly string[], made: readonly string[]): number {
  const alike = (from: number, to: number): number => likeness(asked[from] ?? '', made[to] ?? '');
  let best = minSimilarity;
  let bestAt = -1;
  for (let at = hunk.beforeStart; at < hunk.beforeEnd; at += 1) {
    if (alike(at, index) > best) {
      best = alike(at, index);
      bestAt = at;
    }
  }
  for (let other = hunk.afterStart; other < hunk.afterEnd && bestAt >= 0; other += 1) {
    if (alike(bestAt, other) > best) return -1;
  }
  return bestAt;
}

function likeness(one: string, other: string): number {
  const [words, others] = [one, other].map((line) => splitTokens(line).filter((token) => token.trim() !== '')) as [
    string[],
    string[],
  ];
  const all = new Set(others);
  return words.length === 0 ? 0 : words.filter((word) => all.has(word)).length / Math.max(words.length, others.length);
}

/** Merges the file's differences from the copied text with the model's change. In parts that both changed, uses the model's text. */
function merged(said: readonly string[], right: readonly string[], made: readonly string[]): string {
  const changes = diffWords(said, made).map((hunk) => ({ hunk, tokens: made.slice(hunk.afterStart, hunk.afterEnd) }));
  const edits = [...changes];
  for (const hunk of diffWords(said, right)) {
    const tokens = right.slice(hunk.afterStart, hunk.afterEnd);
    const same = changes.find((change) => isSamePlace(change.hunk, hunk));
    if (same !== undefined) same.tokens = [extended(joinTokens(said, hunk), tokens.join(''), same.tokens.join(''))];
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

function joinTokens(tokens: readonly string[], { beforeStart, beforeEnd }: Hunk): string {
  return tokens.slice(beforeStart, beforeEnd).join('');
}

/** Applies the text that the model added to a copied word to the same word in the file. */
function extended(said: string, right: string, made: string): string {
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
