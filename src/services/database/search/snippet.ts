import { scratch } from './scratch';
import { marked, separated, type MatchedText, type SearchedFields, type TextRange } from './searchText';

/** Maximum lengths of a shown line and of its part before the first match, in UTF-16 code units. */
const longest = 180;
const lead = 48;

/** Marks the matches of an FTS5 query in texts. Marks nothing if the query is null or an entry does not match. */
export function highlightLine(query: string | null, entries: readonly SearchedFields[]): MatchedText[] {
  if (query === null || entries.length === 0) return entries.map(({ text }) => ({ text, marks: [] }));
  const found = scratch().highlighted(
    query,
    entries.map(({ text, tool, file }) => [text, tool, file].map(separated)),
  );
  return entries.map(({ text }, index) => {
    const marks = found[index] ?? null;
    return marks === null ? { text, marks: [] } : marked(marks);
  });
}

/** Returns the line with the most matches, shortened around the first match. Returns the first line if there are no matches. */
export function pickLine(of: MatchedText): MatchedText {
  const best = bestLine(of);
  if (best !== null) return best;
  const [line = ''] = of.text.trimStart().split('\n', 1);
  return line.length <= longest ? { text: line.trimEnd(), marks: [] } : cutAt({ text: line, marks: [] }, 0, line.length, 0);
}

function bestLine({ text, marks }: MatchedText): MatchedText | null {
  let best: { start: number; end: number; score: number } | null = null;
  for (let index = 0; index < marks.length;) {
    const [from] = marks[index] as TextRange;
    const start = text.lastIndexOf('\n', from - 1) + 1;
    const newline = text.indexOf('\n', from);
    const end = newline === -1 ? text.length : newline;
    const words = new Set<string>();
    for (; index < marks.length && (marks[index] as TextRange)[0] < end; index += 1) {
      words.add(text.slice(...(marks[index] as TextRange)).toLowerCase());
    }
    if (best === null || words.size > best.score) best = { start, end, score: words.size };
  }
  return best === null ? null : cut(text, marks, best.start, best.end);
}

function cut(text: string, marks: readonly TextRange[], start: number, end: number): MatchedText {
  const [first] = marks.find(([from]) => from >= start) as TextRange;
  return cutAt({ text, marks }, start, end, first);
}

function cutAt(
  { text, marks }: { text: string; marks: readonly TextRange[] },
  start: number,
  end: number,
  first: number,
): MatchedText {
  const lineStart = start + (/^\s*/.exec(text.slice(start, first))?.[0].length ?? 0);
  let from = Math.max(lineStart, end - lineStart <= longest ? lineStart : first - lead);
  let to = Math.min(end, from + longest);
  if (isInsidePair(text, from)) from += 1;
  if (isInsidePair(text, to)) to -= 1;
  const before = from > lineStart ? '…' : '';
  const shown = text.slice(from, to).trimEnd();
  const shift = before.length - from;
  const inside = marks
    .filter(([a, b]) => b > from && a < from + shown.length)
    .map(([a, b]): TextRange => [Math.max(a, from) + shift, Math.min(b, from + shown.length) + shift]);
  return { text: before + shown + (to < end ? '…' : ''), marks: inside };
}

function isInsidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}
