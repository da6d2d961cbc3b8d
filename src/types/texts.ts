import { formatNumber } from './format';

/** Translations by English text. */
export type Texts = Readonly<Record<string, string>>;

/** Function that translates a text and replaces its placeholders. */
export type Translate = (text: string, ...args: string[]) => string;

/**
 * Translates a text and replaces `{0}`, `{1}`, …. Formats numbers with `format`. Falls back to English if there is no
 * translation. Leaves a placeholder as it is if there is no value for it.
 */
export function textIn(texts: Texts, text: string, args: readonly (string | number)[], format = formatNumber): string {
  const translated = Object.hasOwn(texts, text) ? texts[text] : undefined;
  return (translated ?? text).replace(/\{(\d+)\}/g, (placeholder, index: string) => {
    const value = args[Number(index)] ?? placeholder;
    return typeof value === 'number' ? format(value) : value;
  });
}

/** Returns texts unchanged. Marks English texts in data that is translated elsewhere, so that the l10n tool finds them. */
export function translatable<T>(texts: T): T {
  return texts;
}
