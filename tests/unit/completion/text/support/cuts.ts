import type { Problem } from './problems';

/** Place in a program, with the text that is missing there. */
export interface Cut {
  name: string;
  kind: 'line' | 'span' | 'lines';
  prefix: string;
  middle: string;
  suffix: string;
}

/** Text after a solution in its file. */
const rest = '\n\n\ndef main():\n    run()\n';

/** Cuts a program at fixed places: each line from its first character, a part of each, and each run of at least three lines. */
export function cutsOf({ name, prompt, solution }: Problem): Cut[] {
  const lines = solution.split('\n');
  return lines.flatMap((line, index) => {
    const text = line.trim();
    if (text === '') return [];
    const indent = line.length - line.trimStart().length;
    const head =
      prompt +
      lines
        .slice(0, index)
        .map((one) => `${one}\n`)
        .join('');
    const after = (last: number) => ['', ...lines.slice(last)].join('\n') + rest;
    const cut = (kind: Cut['kind'], from: number, to: number, last: number): Cut => ({
      name: `${name}, line ${index + 1}, ${kind}`,
      kind,
      prefix: head + line.slice(0, from),
      middle: kind === 'lines' ? lines.slice(index, last).join('\n').slice(from) : line.slice(from, to),
      suffix: kind === 'lines' ? after(last) : line.slice(to) + after(index + 1),
    });
    const third = Math.floor(text.length / 3);
    const cuts = [cut('line', indent, line.length, index + 1)];
    if (third > 2)
      cuts.push(cut('span', indent + third, indent + 2 * third, index + 1), cut('span', indent + third, line.length, index + 1));
    for (const count of [2, 3, 8]) {
      const last = Math.min(lines.length, index + count);
      if (last - index > 1 && (lines[last - 1] ?? '').trim() !== '') cuts.push(cut('lines', indent, line.length, last));
    }
    return cuts;
  });
}
