/** Estimates of token lengths, for use until a server has counted the tokens of a text. */

/** Approximate number of characters per token in English text and code. */
export const usualTokenLength = 4;
/** Conservative value for content that must fit. The real token count is very unlikely to be higher. */
export const conservativeTokenLength = 3;

/** Returns the approximate token count of a text. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / usualTokenLength);
}

/** Returns the number of characters per token as counted by a server, limited to the range 1 to 8. */
export function measuredTokenLength(characters: number, tokens: number): number {
  return Math.min(8, Math.max(1, characters / tokens));
}
