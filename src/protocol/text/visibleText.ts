/* Characters that are invisible or change how other text is shown. These are control characters (C0 and C1, which
   control terminals), direction marks, Default_Ignorable_Code_Point, line separators, and the blank Braille pattern. A
   variation selector after a pictograph is visible as an emoji. */
const invisible =
  /(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;

/** Makes invisible characters visible, such as `⟨U+202E⟩`. Keeps line breaks and tabs. */
export function visibleText(text: string): string {
  return text.replace(invisible, shown);
}

/** Makes invisible characters visible in text that must stay on one line. This includes line breaks and tabs. */
export function visibleLine(text: string): string {
  return text.replace(invisible, marked);
}

/** Makes only control characters and direction overrides visible. Keeps joiners in letters and emoji, and Windows line breaks. */
export function visibleControls(text: string): string {
  return text.replace(/\r(?!\n)|(?!\r)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, shown);
}

/**
 * Makes invisible characters visible in code and prose. Keeps joiners
 * in letters and emoji, because they can be part of names and words.
 */
export function visibleCode(text: string): string {
  return text.replace(invisible, (character) => (/[\u200c\u200d]/.test(character) ? character : shown(character)));
}

function shown(character: string): string {
  return character === '\n' || character === '\t' ? character : marked(character);
}

function marked(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** Serializes a value as JSON. Escapes invisible characters, for example as `\u202e`. The value stays equivalent. */
export function visibleJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(invisible, (character) =>
    character === '\n' ? character : [...codeUnits(character)].map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join(''),
  );
}

function* codeUnits(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += 1) yield text.charCodeAt(at);
}
