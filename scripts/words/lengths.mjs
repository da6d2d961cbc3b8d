/** Longest texts in characters, by use. Placeholders (`{0}`) and icons (`$(name)`) do not count. German is longer on buttons only. */
export const limits = {
  button: { en: 32, de: 44 },
  description: { en: 240, de: 240 },
  message: { en: 240, de: 240 },
};

/** Returns a sentence for each text or translation that is longer than its limit. `texts`: `{ text, use, translation }`. */
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

/** Counts the characters that are shown. */
export function lengthOf(text) {
  return [...text.replaceAll(/\{\d+\}|\$\([\w~-]+\)\s*/g, '')].length;
}
