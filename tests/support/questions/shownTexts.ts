/** Code points that control a terminal or are invisible, from the lists of the Unicode Character Database. */
const unseen: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xe0000, 0xe0fff],
];

function isUnseen(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return unseen.some(([from, to]) => code >= from && code <= to);
}

/** Returns the characters in a text that control a terminal or are invisible. Emoji variation selectors are allowed. */
export function unseenIn(text: string, allowed = '\n'): string[] {
  return [...text.replace(/[\u2190-\u{1faff}]\ufe0f/gu, '')].filter((one) => isUnseen(one) && !allowed.includes(one));
}

/** Returns a text as the user should see it, with the code point of each invisible character. Keeps lines and tabs. */
export function seen(text: string, kept = '\n\t'): string {
  return text.replace(/[\u2190-\u{1faff}]\ufe0f|./gsu, (one) =>
    one.length > 1 && one.endsWith('\ufe0f')
      ? one
      : isUnseen(one) && !kept.includes(one)
        ? `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
        : one,
  );
}
