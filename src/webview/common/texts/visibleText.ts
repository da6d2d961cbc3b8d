/** Makes invisible characters of a text visible, as `⟨U+202E⟩`: line ends and tabs stay as they are. */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, shown);
}

/**
 * Does the same as `visibleText`, but only for characters that no language needs: control characters and those that turn the direction of
 * other text round. Marks that join letters and emoji stay, and so do the line ends of Windows.
 */
export function visibleControls(text: string): string {
  return text.replace(/\r(?!\n)|(?!\r)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, shown);
}

/** Does the same as `visibleText` for code: characters that join letters stay, as names and words of a program may have them. */
export function visibleCode(text: string): string {
  return text.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu, shown);
}

function shown(character: string): string {
  return character === '\n' || character === '\t' ? character : `⟨U+${codeOf(character)}⟩`;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
