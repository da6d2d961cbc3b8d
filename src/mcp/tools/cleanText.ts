import stripAnsi from 'strip-ansi';
import { shortened } from '../../types/cutText';

/** Line and page breaks other than `\n`. They separate words. */
const breaks = /[\v\f\u0085\u2028\u2029]/g;
/** Control characters except tab and line feed, and invisible characters: direction marks, tags, joiners, variation selectors. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}]/gu;

/** Removes terminal escape sequences and invisible characters from untrusted text. Unusual line breaks become spaces. */
export function cleanText(text: string): string {
  return stripAnsi(text.replace(/\r\n?/g, '\n')).replace(breaks, ' ').replace(hidden, '');
}

/** Cleans a text and shortens it to one line of at most `max` characters. */
export function cleanLine(text: string, max: number): string {
  return shortened(cleanText(text).replace(/\s+/g, ' ').trim(), max);
}
