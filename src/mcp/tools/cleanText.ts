import stripAnsi from 'strip-ansi';

/** Control characters but tab and line feed, and all that nobody sees: marks of direction, tags, joiners without a letter, selectors. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}]/gu;

/** Returns a text of a stranger without escape sequences of terminals and without characters that nobody sees. */
export function cleanText(text: string): string {
  return stripAnsi(text.replace(/\r\n?/g, '\n')).replace(hidden, '');
}

/** Returns such a text in one line, at most so long. */
export function cleanLine(text: string, max: number): string {
  const line = cleanText(text).replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
