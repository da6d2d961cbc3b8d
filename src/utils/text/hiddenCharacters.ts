/**
 * Characters that people cannot see but models can read: tags, direction controls, zero-width characters, and variation selectors
 * outside emoji. See Unicode Standard Annex 9 and "Trojan Source" (CVE-2021-42574). Joiners between emoji are kept.
 */
const hidden =
  /[\u00AD\u061C\u180E\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]|(?<!\p{Extended_Pictographic}\uFE0F?|[\u{1F3FB}-\u{1F3FF}])\u200D/gu;

/** Removes hidden characters and counts them. A byte order mark at the start is not counted. */
export function withoutHidden(text: string): { text: string; removed: number } {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  let removed = 0;
  const shown = plain.replace(hidden, () => {
    removed += 1;
    return '';
  });
  return { text: shown, removed };
}
