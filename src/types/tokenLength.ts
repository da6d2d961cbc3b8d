/** Says how long a token is: the only figures for it, until a server has counted the tokens of a text. */

/** Characters of English and code that make a token, about. */
export const usualTokenLength = 4;
/** Fewer than that, for what has to fit: a text of so many characters a token takes no more tokens in all probability. */
export const carefulTokenLength = 3;

/** Returns the tokens of a text, about. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / usualTokenLength);
}

/** Returns the characters of a token, as a server has counted the tokens of a text: 1 to 8, whatever it says. */
export function measuredTokenLength(characters: number, tokens: number): number {
  return Math.min(8, Math.max(1, characters / tokens));
}
