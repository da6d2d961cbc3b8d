import { shallowRef } from 'vue';
import { textIn, type Texts } from '../types/texts';

type Arguments = readonly (string | number)[];

const texts = shallowRef<Texts>({});

/** Sets the translations by their English text. */
export function setViewTexts(bundle: Texts): void {
  texts.value = bundle;
}

/** Returns the translated text with `{0}`, `{1}`, … filled in. Falls back to English if there is no translation. Formats numbers. */
export function t(text: string, ...args: Arguments): string {
  return textIn(texts.value, text, args);
}

/** Translates a text from data that is marked as `translatable`. */
export function translated(text: string, ...args: Arguments): string {
  return textIn(texts.value, text, args);
}
