export interface Bounds {
  lines: number;
  characters: number;
  /** Which end is kept. */
  end: 'start' | 'end';
}

export interface BoundedText {
  text: string;
  isCut: boolean;
  lineCount: number;
}

/** As much of `text` as the bounds allow, in whole lines where it can be. */
export function boundText(source: string, { lines, characters, end }: Bounds): BoundedText {
  const text = source.replace(/\n$/, '');
  const all = text.split('\n');
  const kept = end === 'start' ? all.slice(0, lines) : all.slice(-Math.min(lines, all.length));
  const joined = kept.join('\n');
  if (joined.length <= characters) return { text: joined, isCut: kept.length < all.length, lineCount: all.length };
  const cut = end === 'start' ? `${joined.slice(0, characters)}…` : `…${joined.slice(-characters)}`;
  return { text: cut, isCut: true, lineCount: all.length };
}
