import type { Entry, EntryOf } from './entries';

/** The notice that a run begins which goes on with what the run before it left. It is not shown; what follows it is. */
export const continuedCode = 'continued';

export function isContinuation(entry: Entry): entry is EntryOf<'system_message'> {
  return entry.type === 'system_message' && entry.data.code === continuedCode;
}

/**
 * Joins a partial answer and what the model wrote when it was asked to go on. An answer never begins with white space, so if a word or a
 * block of its own begins after the break, the space that belongs there is put back.
 */
export function joinContinued(before: string, after: string): string {
  if (before === '' || after === '' || /\s$/.test(before) || /^\s/.test(after)) return before + after;
  if (isInFence(before)) {
    if (/^(?:```|~~~)/.test(after)) return `${before}\n${after}`;
    return isWord(before.at(-1)) && isWord(after[0]) ? `${before} ${after}` : before + after;
  }
  if (/^(?:#{1,6} |[-*+] |\d+[.)] |```|~~~|> |\|)/.test(after)) return `${before}\n${after}`;
  const isSpaced = isWord(after[0]) && (isWord(before.at(-1)) || /[.,;:!?)\]]$/.test(before));
  return isSpaced ? `${before} ${after}` : before + after;
}

function isInFence(text: string): boolean {
  return (text.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;
}

/** Tells whether a character is part of a word in a script that puts spaces between words. */
function isWord(character: string | undefined): boolean {
  return (
    character !== undefined &&
    /[\p{L}\p{N}]/u.test(character) &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(character)
  );
}
