import type { Entry, EntryOf } from './entries';

/** Code of the notice at the start of a run that continues the previous run. The view does not show this notice. */
export const continuedCode = 'continued';

export function isContinuation(entry: Entry): entry is EntryOf<'system_message'> {
  return entry.type === 'system_message' && entry.data.code === continuedCode;
}

/**
 * Joins a partial answer and its continuation. Models start an answer without whitespace,
 * so this function restores a space or line break if one is missing between them.
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

/** Returns true if a character belongs to a word in a script that separates words with spaces. */
function isWord(character: string | undefined): boolean {
  return (
    character !== undefined &&
    /[\p{L}\p{N}]/u.test(character) &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(character)
  );
}
