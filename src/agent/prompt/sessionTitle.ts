import type { AttachmentRef } from '../../protocol/entries';
import { dateAndTime } from '../../types/format';
import { t } from '../../utils/l10n';

export const maxTitleLength = 60;
/** Maximum characters before and after an ellipsis. */
const half = 28;
const gap = ' … ';
const dot = ' · ';
const placed: readonly AttachmentRef['kind'][] = ['file', 'selection', 'editor', 'folder', 'image'];

/** Title and first message of a chat. `words` is null without a message. */
interface TitledChat {
  title: string;
  words: string | null;
}

export interface FirstMessage {
  text: string;
  attachments: readonly Pick<AttachmentRef, 'kind' | 'path'>[];
}

/** Returns the beginning of a message, up to 60 characters, truncated between words if possible. */
export function shortenTitle(text: string): string {
  const words = joinWords(text);
  return words === '' ? t('New chat') : shortened(words, maxTitleLength);
}

/** Returns the beginning that all titles built from this message share. */
export function titleBeginning(text: string): string {
  return shortened(shortenTitle(text), half).replace(/…$/, '');
}

/**
 * Returns a unique title. Tries the first words, then the words where the messages begin to differ, then
 * the attached file, then the time with a number if necessary. `now` is in milliseconds since 1970.
 */
export function titleAmong({ text, attachments }: FirstMessage, others: readonly TitledChat[], now: number): string {
  const taken = new Set(others.map(({ title }) => title));
  const words = joinWords(text);
  const file = findFileName(attachments);
  const time = withEnd(words, dateAndTime(now));
  const wanted = [shortenTitle(text), differenceAmong(words, others), file === null ? null : withEnd(words, file), time];
  const free = wanted.find((title) => title !== null && !taken.has(title));
  if (free !== undefined && free !== null) return free;
  let number = 2;
  while (taken.has(withEnd(words, `${dateAndTime(now)} (${number})`))) number += 1;
  return withEnd(words, `${dateAndTime(now)} (${number})`);
}

/** Time of day in any language. Earlier versions wrote `2026-01-31 14:05`. */
const hasTime = /\p{Nd}[:.]\p{Nd}\p{Nd}/u;

/** Returns whether a title was generated from the first message and not written by the user. */
export function isTitleOf(title: string, { text, attachments }: FirstMessage): boolean {
  if (title === shortenTitle(text)) return true;
  const words = joinWords(text);
  const [begin = '', rest] = title.split(gap);
  const isIn = (part: string) => words.includes(part.replace(/…$/, ''));
  if (rest !== undefined && words.startsWith(begin.replace(/…$/, '')) && isIn(rest)) return true;
  const end = title.slice(title.lastIndexOf(dot) + dot.length);
  const isMade = end === findFileName(attachments) || hasTime.test(end);
  return isMade && title === withEnd(words, end);
}

function differenceAmong(words: string, others: readonly TitledChat[]): string | null {
  const starts = others.flatMap((other) => {
    const theirs = joinWords(other.words ?? '');
    return theirs === words ? [] : [commonStart(words, theirs)];
  });
  // Start of the first different word.
  const at = words.lastIndexOf(' ', Math.max(0, ...starts)) + 1;
  return at === 0 ? null : `${shortened(words, half).replace(/…$/, '')}${gap}${shortened(words.slice(at), half)}`;
}

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function findFileName(attachments: FirstMessage['attachments']): string | null {
  const path = attachments.find(({ kind }) => placed.includes(kind))?.path;
  return path === undefined ? null : shortened(path.split(/[\\/]/).at(-1) ?? path, half);
}

function withEnd(words: string, end: string): string {
  return `${shortened(words, maxTitleLength - dot.length - [...end].length)}${dot}${end}`;
}

function joinWords(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function shortened(words: string, most: number): string {
  const characters = [...words];
  if (characters.length <= most) return words;
  const lastSpace = characters.slice(0, most).lastIndexOf(' ');
  const length = lastSpace > most / 2 ? lastSpace : most - 1;
  return `${characters.slice(0, length).join('')}…`;
}
