import { indentAt } from './indents';
import { squeezed, type Slip } from './reading';
import { rewritten } from './rewriting';
import { plainMarks, readingsOf } from './slips';

/** Lines beyond which a part of a line at an end is not looked for. */
const mostLines = 40;

/**
 * Finds a part of lines that was copied with a slip, at the one place that fits, with the text to put there. Returns where all places begin if
 * several fit; undefined where none does.
 */
export function findFragment(
  plain: string,
  asked: readonly string[],
  made: readonly string[],
): { start: number; end: number; text: string; slip: Slip } | number[] | undefined {
  if (asked.length > mostLines) return undefined;
  for (const { slip, asked: wanted, undo } of readingsOf(asked, plain)) {
    // With its number a line is a whole one.
    if (slip === 'numbers') continue;
    const [text, lines] = slip === 'quotes' ? [plainMarks(plain), wanted.map(plainMarks)] : [plain, wanted];
    const places = [...text.matchAll(patternOf(lines))];
    if (places.length > 1) return places.map(({ index }) => index);
    const [place] = places;
    if (place === undefined) continue;
    const [start, end] = [place.index, place.index + place[0].length];
    const there = plain.slice(start, end).split('\n');
    const said = undo(asked, there);
    const put = rewritten(said, there, undo(made, there), indentAt(there, said));
    return { start, end, text: put.join('\n'), slip };
  }
  return undefined;
}

/** Returns the pattern that finds lines whatever their blanks, but for those at the beginning. */
function patternOf(lines: readonly string[]): RegExp {
  const line = (one: string): string => squeezed(one).split(' ').map(escaped).join('[ \\t]+');
  const indent = /^[ \t]*/.exec(lines[0] ?? '')?.[0] ?? '';
  return new RegExp(indent + lines.map(line).join('[ \\t]*\\n[ \\t]*'), 'g');
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, '\\$&');
}
