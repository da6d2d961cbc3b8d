import { indentAt } from './indents';
import { squeezed, type Slip } from './reading';
import { rewritten } from './rewriting';
import { plainMarks, findReadings } from './slips';

/** Maximum number of lines in a fragment. */
const maxLines = 40;

/**
 * Finds the unique match of a fragment that was copied with an error, and its replacement text.
 * Returns the offsets of all matches if there are several, or undefined if there are none.
 */
export function findFragment(
  plain: string,
  asked: readonly string[],
  made: readonly string[],
): { start: number; end: number; text: string; slip: Slip } | number[] | undefined {
  if (asked.length > maxLines) return undefined;
  for (const { slip, asked: wanted, undo } of findReadings(asked, plain)) {
    // Fragments are not whole lines, so they have no line numbers.
    if (slip === 'numbers') continue;
    const [text, lines] = slip === 'quotes' ? [plainMarks(plain), wanted.map(plainMarks)] : [plain, wanted];
    const places = [...text.matchAll(createPattern(lines))];
    if (places.length > 1) return places.map(({ index }) => index);
    const [place] = places;
    if (place === undefined) continue;
    const start = place.index;
    const end = place.index + (place[1] ?? '').length;
    const there = plain.slice(start, end).split('\n');
    const said = undo(asked, there);
    const put = rewritten(said, there, undo(made, there), indentAt(there, said));
    return { start, end, text: put.join('\n'), slip };
  }
  return undefined;
}

/**
 * Returns a pattern whose first group matches the lines with any white space,
 * except at the beginning. Uses a lookahead to find overlapping matches.
 */
function createPattern(lines: readonly string[]): RegExp {
  const line = (one: string): string => squeezed(one).split(' ').map(escaped).join('[ \\t]+');
  const indent = /^[ \t]*/.exec(lines[0] ?? '')?.[0] ?? '';
  return new RegExp(`(?=(${indent}${lines.map(line).join('[ \\t]*\\n[ \\t]*')}))`, 'g');
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, '\\$&');
}
