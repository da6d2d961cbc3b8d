import { shallowRef } from 'vue';

const texts = shallowRef<Readonly<Record<string, string>>>({});

/** Puts a bundle of translations, by their English form, in force. */
export function setTexts(bundle: Readonly<Record<string, string>>): void {
  texts.value = bundle;
}

/** The text in the person's language, with `{0}`, `{1}`, … filled in; in English where there is no translation. */
export function t(text: string, ...args: readonly (string | number)[]): string {
  const translated = Object.hasOwn(texts.value, text) ? texts.value[text] : undefined;
  return (translated ?? text).replace(/\{(\d+)\}/g, (placeholder, index: string) => String(args[Number(index)] ?? placeholder));
}
