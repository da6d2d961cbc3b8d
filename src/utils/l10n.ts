import { formatInEnglish, setDisplayLanguage } from '../types/format';
import { textIn, type Texts } from '../types/texts';

type Arguments = readonly (string | number)[];

/** Localized text with its English form for the model and the log. */
export interface Phrase {
  /** Text in the user's language. */
  readonly local: string;
  readonly english: string;
}

let texts: Texts = {};

/**
 * Sets the translations, keyed by English text, and the display language (BCP 47). Called once when the extension starts. Workers
 * have their own copy of this module without translations. They return codes, which the host translates.
 */
export function setTexts(bundle: Texts, language = 'en-US'): void {
  texts = bundle;
  setDisplayLanguage(language);
}

/** Returns the text in the user's language. Replaces `{0}`, `{1}`, … and formats numbers for that language. */
export function t(text: string, ...args: Arguments): string {
  return textIn(texts, text, args);
}

/** Translates like `t`, and also returns the English text for the model and the log. */
export function phrase(text: string, ...args: Arguments): Phrase {
  return { local: textIn(texts, text, args), english: textIn({}, text, args, formatInEnglish) };
}

/** Adds a sentence that only the model receives. */
export function withAdvice({ local, english }: Phrase, advice: string): Phrase {
  return { local, english: `${english} ${advice}` };
}
