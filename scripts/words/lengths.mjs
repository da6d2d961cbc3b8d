/**
 * Maximum text lengths in characters, by use. Placeholders (`{0}`) and icons (`$(name)`) do not count. Only German buttons may be longer
 * than English ones.
 */
export const limits = {
  button: { en: 32, de: 44 },
  description: { en: 240, de: 240 },
  message: { en: 240, de: 240 },
};

/** Returns a message for each text or translation that is longer than its limit. `texts`: `{ text, use, translation }`. */
export function tooLong(texts) {
  return texts.flatMap(({ text, use, translation }) =>
    [
      ['en', text],
      ['de', translation],
    ].flatMap(([language, shown]) => {
      const length = shown === undefined ? 0 : lengthOf(shown);
      const most = limits[use][language];
      return length > most ? [`${use} (${language}) of ${length} characters, at most ${most}: ${JSON.stringify(shown)}`] : [];
    }),
  );
}

/** Counts the visible characters. */
export function lengthOf(text) {
  return [...text.replaceAll(/\{\d+\}|\$\([\w~-]+\)\s*/g, '')].length;
}
