import { textIn, type Texts } from '../types/texts';

type Arguments = readonly (string | number)[];

/** Text for a person together with its form for the model and the log. */
export interface Phrase {
  /** Text in the person's language. */
  readonly local: string;
  readonly english: string;
}

const english = 'en-US';
let texts: Texts = {};
let configured = english;
let language: string | null = english;

/**
 * Puts a bundle of translations, by their English form, in force, and the language (BCP 47) that numbers are written in. Once, when the
 * extension starts: a worker has its own copy of this module, so it answers codes that the host puts into words.
 */
export function setTexts(bundle: Texts, numbers = english): void {
  texts = bundle;
  configured = numbers;
  language = null;
}

/** Returns the text in the person's language, with `{0}`, `{1}`, … filled in; numbers are grouped as that language does. */
export function t(text: string, ...args: Arguments): string {
  return textIn(texts, text, written(args));
}

/** Translates like `t`, and keeps the English form for the model and the log. */
export function phrase(text: string, ...args: Arguments): Phrase {
  return { local: textIn(texts, text, written(args)), english: textIn({}, text, written(args, english)) };
}

function written(args: Arguments, locale?: string): string[] {
  return args.map((value) => (typeof value === 'number' ? value.toLocaleString(locale ?? chosenLanguage()) : value));
}

/** Returns the language, looked up with the first number: knowing all languages takes as long as everything else that a start does. */
function chosenLanguage(): string {
  language ??= isKnown(configured) ? configured : english;
  return language;
}

/** Tells whether a language is known: some editors name languages of their own. */
function isKnown(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf([locale]).length > 0;
  } catch {
    return false;
  }
}
