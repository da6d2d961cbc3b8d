/** Translations by their English form. */
export type Texts = Readonly<Record<string, string>>;

/** Translates a text with `{0}`, `{1}`, … filled in; in English if there is no translation. A placeholder without a value stays. */
export function textIn(texts: Texts, text: string, args: readonly (string | number)[]): string {
  const translated = Object.hasOwn(texts, text) ? texts[text] : undefined;
  return (translated ?? text).replace(/\{(\d+)\}/g, (placeholder, index: string) => String(args[Number(index)] ?? placeholder));
}

/** Returns the texts as they are. Marks English texts that are data here and put into a person's language elsewhere, so that they are found. */
export function translatable<T>(texts: T): T {
  return texts;
}
