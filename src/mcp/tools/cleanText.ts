import stripAnsi from 'strip-ansi';

/** Control characters except tab and line feed, and invisible characters: direction marks, tags, joiners, variation selectors. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}]/gu;

/** Removes terminal escape sequences and invisible characters from untrusted text. */
export function cleanText(text: string): string {
  return stripAnsi(text.replace(/\r\n?/g, '\n')).replace(hidden, '');
}

/** Cleans a text, and reduces it to one line of at most `max` characters. */
export function cleanLine(text: string, max: number): string {
  const line = cleanText(text).replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
