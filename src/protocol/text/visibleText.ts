/*
 * Characters that nobody sees, or that change how other text is shown: controls (C0 and C1, by which terminals are told what to do), marks of
 * direction, everything that Unicode lets a font leave out (Default_Ignorable_Code_Point), separators of lines, and the blank pattern of Braille.
 * The selector that makes an emoji of a sign is seen by that.
 */
const unseen =
  /(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;

/** Makes invisible characters of a text visible, as `⟨U+202E⟩`: line ends and tabs stay as they are. */
export function visibleText(text: string): string {
  return text.replace(unseen, shown);
}

/** Does the same as `visibleText` for a text that has to stay in one line: line ends and tabs are made visible too. */
export function visibleLine(text: string): string {
  return text.replace(unseen, marked);
}

/**
 * Does the same as `visibleText`, but only for characters that no language needs: control characters and those that turn the direction of
 * other text round. Marks that join letters and emoji stay, and so do the line ends of Windows.
 */
export function visibleControls(text: string): string {
  return text.replace(/\r(?!\n)|(?!\r)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, shown);
}

/** Does the same as `visibleText` for code and prose: characters that join letters and emoji stay, as names and words may have them. */
export function visibleCode(text: string): string {
  return text.replace(unseen, (character) => (/[\u200c\u200d]/.test(character) ? character : shown(character)));
}

function shown(character: string): string {
  return character === '\n' || character === '\t' ? character : marked(character);
}

function marked(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** Returns a value as JSON that has no invisible character in it: it reads the same, each is written as `\u202e`. */
export function visibleJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(unseen, (character) =>
    character === '\n' ? character : [...codeUnits(character)].map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join(''),
  );
}

function* codeUnits(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += 1) yield text.charCodeAt(at);
}
