/** Kinds of copying errors of models. */
export const slipKinds = ['quotes', 'plainQuotes', 'escapes', 'lineEnds', 'blanks', 'blankLine', 'numbers', 'character'] as const;
export type SlipKind = (typeof slipKinds)[number];

/** Edit as a model wrote it, with the intended file. */
export interface SlipCase {
  kind: SlipKind;
  /** Text of the file. */
  before: string;
  after: string;
  /** Intended part of the file, verbatim. */
  block: string;
  /** First line of the part, from 0. */
  first: number;
  old: string[];
  made: string[];
  /** Index of the changed line in `block`. */
  changed: number;
  how: 'change' | 'insert' | 'remove';
}

/** Returns numbers in [0, 1). The seed makes them reproducible. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

const squeezed = (line: string): string => line.trim().replaceAll(/\s+/g, ' ');

/** File with its lines, and the lines with normalized white space. */
interface FileLines {
  text: string;
  lines: string[];
  plain: string[];
}

export function fileLines(text: string): FileLines {
  const lines = text.replace(/\n$/, '').split('\n');
  return { text, lines, plain: lines.map(squeezed) };
}

/** Counts the occurrences of lines in a file, ignoring white space. */
function countOf({ plain }: FileLines, block: readonly string[]): number {
  const wanted = block.map(squeezed);
  return plain.filter((_line, at) => wanted.every((line, index) => plain[at + index] === line)).length;
}

/** Returns an edit with a slip of this kind in one of the files; undefined if the random place does not allow it. */
export function slipCase(kind: SlipKind, files: readonly FileLines[], random: Random): SlipCase | undefined {
  const file = pick(random, files);
  const { text: before, lines } = file;
  const size = kind === 'character' ? 4 + Math.floor(random() * 5) : 1 + Math.floor(random() * 7);
  const first = Math.floor(random() * (lines.length - size));
  const block = lines.slice(first, first + size);
  if (first < 0 || block[0]?.trim() === '' || block.at(-1)?.trim() === '') return undefined;
  if (block.join('').replaceAll(/\W/g, '').length < 8) return undefined;
  if (kind === 'character' && block.filter((line) => line.trim() !== '').length < 4) return undefined;
  // After a blank line, the file already contains the extra blank line.
  if (kind === 'blankLine' && (lines[first - 1] ?? '').trim() === '') return undefined;
  const edit = edited(block, random);
  if (edit === undefined) return undefined;
  const slip = slips[kind](block, edit, random, first);
  if (slip === undefined || slip.old.join('\n') === block.join('\n') || countOf(file, block) !== 1) return undefined;
  const after =
    [...lines.slice(0, first), ...edit.made, ...lines.slice(first + size)].join('\n') + (before.endsWith('\n') ? '\n' : '');
  return { kind, before, after, block: block.join('\n'), first, ...slip, changed: edit.changed, how: edit.how };
}

interface Edit {
  made: string[];
  changed: number;
  how: SlipCase['how'];
}

/** Changes a word in one line, inserts a line after it, or removes it. */
function edited(block: readonly string[], random: Random): Edit | undefined {
  const changed = Math.floor(random() * block.length);
  const line = block[changed] ?? '';
  const how = pick(
    random,
    block.length === 1 ? (['change', 'insert'] as const) : (['change', 'change', 'insert', 'remove'] as const),
  );
  if (line.trim() === '') return undefined;
  if (how === 'remove') return { made: block.filter((_line, at) => at !== changed), changed, how };
  if (how === 'insert') {
    const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
    return {
      made: block.flatMap((one, at) => (at === changed ? [one, `${indent}added("new-one", 'it');`] : [one])),
      changed,
      how,
    };
  }
  const words = [...line.matchAll(/[A-Za-z]{3,}/g)];
  if (words.length === 0) return undefined;
  const word = pick(random, words);
  const end = word.index + word[0].length;
  return {
    made: block.map((one, at) => (at === changed ? `${line.slice(0, end)}Changed${line.slice(end)}` : one)),
    changed,
    how,
  };
}

type Slipped = Pick<SlipCase, 'old' | 'made'> | undefined;

/** Applies a slip to the copied lines, and at random to the new ones. An inserted line is not copied. */
function onBoth(block: readonly string[], { made }: Edit, random: Random, slip: (line: string) => string): Slipped {
  const isNewToo = random() < 0.7;
  return {
    old: block.map(slip),
    made: made.map((line) => (isNewToo && (block.includes(line) || line.includes('Changed')) ? slip(line) : line)),
  };
}

/** Functions that put a slip into the copied lines and the edit. They return undefined if the slip is not possible. */
export const slips: Record<SlipKind, (block: readonly string[], edit: Edit, random: Random, first: number) => Slipped> = {
  quotes: (block, edit, random) => {
    if (!/["'-]/.test(block.join(''))) return undefined;
    const dash = pick(random, ['–', '—', '−', '-']);
    const hasQuotes = dash === '-' || random() < 0.8;
    return onBoth(block, edit, random, (line) => {
      const dashed = line.replaceAll('-', dash);
      return hasQuotes
        ? dashed
            .replaceAll(/"([^"]*)"/g, '“$1”')
            .replaceAll('"', '“')
            .replaceAll("'", '’')
        : dashed;
    });
  },
  plainQuotes: (block, edit, random) => {
    if (!/[“”‘’–—−]/.test(block.join(''))) return undefined;
    return onBoth(block, edit, random, (line) =>
      line.replaceAll(/[“”]/g, '"').replaceAll(/[‘’]/g, "'").replaceAll(/[–—−]/g, '-'),
    );
  },
  escapes: (block, edit, random) => {
    const text = block.join('\n');
    const ways = [
      ...(text.includes('"') ? [(line: string) => line.replaceAll('"', '\\"')] : []),
      ...(text.includes('\t') ? [(line: string) => line.replaceAll('\t', '\\t')] : []),
      ...(/["\t]/.test(text) ? [(line: string) => JSON.stringify(line).slice(1, -1)] : []),
    ];
    if (ways.length === 0) return undefined;
    return onBoth(block, edit, random, pick(random, ways));
  },
  lineEnds: (block, { made }, random) => {
    if (block.length === 1) return undefined;
    const slip = pick(random, [
      (lines: readonly string[]) => JSON.stringify(lines.join('\n')).slice(1, -1),
      (lines: readonly string[]) => lines.join('\\n'),
    ]);
    return { old: [slip(block)], made: random() < 0.7 ? [slip(made)] : made };
  },
  blanks: (block, edit, random) => {
    const salt = 1 + Math.floor(random() * 3);
    return onBoth(block, edit, random, (line) => {
      let count = 0;
      return line.replaceAll(/(?<=\S) (?=\S)/g, () => ((count += 1) % salt === 0 ? '  ' : ' '));
    });
  },
  blankLine: (block, { made }, random) => ({ old: ['', ...block], made: random() < 0.7 ? ['', ...made] : made }),
  numbers: (block, { made }, random, first) => {
    const form = pick(random, ['N: ', 'N | ', 'N\t', 'N→', '  N| ', 'N. ']);
    const numbered = (lines: readonly string[]) => lines.map((line, at) => form.replace('N', String(first + 1 + at)) + line);
    return { old: numbered(block), made: random() < 0.5 ? numbered(made) : made };
  },
  character: (block, edit, random) => {
    const places = block.map((_line, at) => at).filter((at) => (block[at] ?? '').trim().length > 5);
    const at = pick(random, places.length === 0 ? [0] : places);
    const line = block[at] ?? '';
    if (block.indexOf(line) !== block.lastIndexOf(line)) return undefined;
    // Digits and short words may be intended, so only letters in longer words count as slips.
    const letters = [...line.matchAll(/\w{4,}/g)].flatMap(({ 0: word, index }) =>
      [...word.matchAll(/[A-Za-z]/g)].map((letter) => index + letter.index),
    );
    if (letters.length === 0) return undefined;
    const place = pick(random, letters);
    const wrong = pick(random, ['', 'q', `${line[place]}z`]) || '';
    const slip = (one: string): string => {
      if (one === line) return line.slice(0, place) + wrong + line.slice(place + 1);
      // In the changed line, the slip is outside the change.
      const isBefore = one.startsWith(line.slice(0, place + 1));
      const tail = line.slice(place);
      if (isBefore) return one.slice(0, place) + wrong + one.slice(place + 1);
      return one.endsWith(tail) ? one.slice(0, one.length - tail.length) + wrong + tail.slice(1) : one;
    };
    const slipped = { old: block.map((one, index) => (index === at ? slip(one) : one)), isNewToo: random() < 0.7 };
    const made = edit.made.map((one) =>
      slipped.isNewToo && (one === line || one.includes('Changed')) && isOf(line, one) ? slip(one) : one,
    );
    return { old: slipped.old, made };
  },
};

/** Tells whether a line equals another line or its changed form. */
function isOf(line: string, one: string): boolean {
  return one === line || one.replace('Changed', '') === line;
}

/** Formats the edit as a patch. The unchanged lines are context. */
export function asPatch({ old, made, changed, how, kind }: SlipCase, path: string): string {
  const extra = kind === 'blankLine' ? 1 : 0;
  const at = changed + extra;
  const madeExtra = extra === 1 && made[0] === '' && old[0] === '' ? 1 : 0;
  const news = { change: [made[changed + madeExtra] ?? ''], insert: [made[changed + madeExtra + 1] ?? ''], remove: [] }[how];
  const lines = old.flatMap((line, index) => {
    if (index !== at) return [` ${line}`];
    return [`${how === 'insert' ? ' ' : '-'}${line}`, ...news.map((one) => `+${one}`)];
  });
  return ['*** Begin Patch', `*** Update File: ${path}`, '@@', ...lines, '*** End Patch'].join('\n');
}
