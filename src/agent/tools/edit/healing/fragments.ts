import { indentAt } from './indents';
import { squeezed, type Slip } from './reading';
import { rewritten } from './rewriting';
import { plainMarks, readingsOf } from './slips';

/** Maximum number of lines of a fragment. */
const maxLines = 40;

/**
 * Finds the unique place of a fragment that was copied with an error, and the text to put there. Returns the offsets of all places if there
 * are several; undefined if there is none.
 */
export function findFragment(
  plain: string,
  asked: readonly string[],
  made: readonly string[],
): { start: number; end: number; text: string; slip: Slip } | number[] | undefined {
  if (asked.length > maxLines) return undefined;
  for (const { slip, asked: wanted, undo } of readingsOf(asked, plain)) {
    // Numbered lines are whole lines.
    if (slip === 'numbers') continue;
    const [text, lines] = slip === 'quotes' ? [plainMarks(plain), wanted.map(plainMarks)] : [plain, wanted];
    const places = [...text.matchAll(patternOf(lines))];
    if (places.length > 1) return places.map(({ index }) => index);
    const [place] = places;
    if (place === undefined) continue;
    const [start, end] = [place.index, place.index + (place[1] ?? '').length];
    const there = plain.slice(start, end).split('\n');
    const said = undo(asked, there);
    const put = rewritten(said, there, undo(made, there), indentAt(there, said));
    return { start, end, text: put.join('\n'), slip };
  }
  return undefined;
}

/** Returns a pattern whose first group is lines with any white space, except at the beginning. Looks ahead, to find overlapping places. */
function patternOf(lines: readonly string[]): RegExp {
  const line = (one: string): string => squeezed(one).split(' ').map(escaped).join('[ \\t]+');
  const indent = /^[ \t]*/.exec(lines[0] ?? '')?.[0] ?? '';
  return new RegExp(`(?=(${indent}${lines.map(line).join('[ \\t]*\\n[ \\t]*')}))`, 'g');
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, '\\$&');
}
