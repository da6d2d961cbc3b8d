import type { Cut } from './cuts';

const tokens =
  /<\|?(?:fim|file|im|endoftext|think)[\w-]*\|?>|<｜|<\[fim|\[(?:PREFIX|SUFFIX|\/?INST)\]|<EOT>|<\/(?:s|think)>|<filename>|<\|fim/;
const prose = /\b(?:Here is|This (?:code|function)|Sure!|Explanation:|The user wants|I will complete|The function now)/;

/** Lists the faults of a text that would be shown at a cut. */
export function faultsOf(shown: string, { prefix, middle, suffix }: Cut): string[] {
  const faults: string[] = [];
  const isNew = (pattern: RegExp): boolean => pattern.test(shown) && !pattern.test(middle);
  if (isNew(tokens)) faults.push('a token');
  if (isNew(/```/)) faults.push('a fence');
  if (isNew(prose)) faults.push('prose');
  if (isNew(/Path: |\+{5} /)) faults.push('a path');
  if (/\r/.test(shown)) faults.push('a line end of Windows');
  if (suffix.startsWith('\n') && /\s$/.test(shown)) faults.push('blanks at the end');
  const before = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const lines = `${before}${shown}`.split('\n').map((line) => line.trimEnd());
  const next = suffix
    .split('\n')
    .slice(1)
    .find((line) => line.trim() !== '');
  if (next !== undefined && lines.at(-1) === next && !middle.endsWith(next.trim())) faults.push('the next line');
  if (/^(.+)\n(?:\1\n){2}/m.test(`${lines.join('\n')}\n`) && !/^(.+)\n(?:\1\n){2}/m.test(`${middle}\n`))
    faults.push('lines over and over');
  if (/[)\]}]/.test(shown) && excess(`${prefix}${shown}${suffix}`) > excess(`${prefix}${middle}${suffix}`))
    faults.push('a closer too many');
  return faults;
}

/** Counts closing brackets in the code that have no opening bracket. */
function excess(text: string): number {
  let open = 0;
  let lone = 0;
  for (const character of text.replace(/"""[\s\S]*?"""|'[^'\n]*'|"[^"\n]*"|#.*/g, '')) {
    if ('([{'.includes(character)) open += 1;
    else if (!')]}'.includes(character)) continue;
    else if (open > 0) open -= 1;
    else lone += 1;
  }
  return lone;
}
