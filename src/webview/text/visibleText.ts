/** The text with what cannot be seen made visible, as `⟨U+202E⟩`: line ends and tabs stay as they are. */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character === '\n' || character === '\t' ? character : `⟨U+${codeOf(character)}⟩`,
  );
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
