import { shallowRef } from 'vue';
import { textIn, type Texts } from '../types/texts';

const texts = shallowRef<Texts>({});

/** Puts a bundle of translations, by their English form, in force. */
export function setTexts(bundle: Texts): void {
  texts.value = bundle;
}

/** Returns the text in the person's language, with `{0}`, `{1}`, … filled in; in English if there is no translation. */
export function t(text: string, ...args: readonly (string | number)[]): string {
  return textIn(texts.value, text, args);
}

/** Translates like `t` a text that comes as data: it is found where it is marked as `translatable`, if it is one of ours. */
export function translated(text: string, ...args: readonly (string | number)[]): string {
  return textIn(texts.value, text, args);
}
