/** Token length estimates, used until a server has counted the tokens of a text. */

/** Approximate characters per token of English and code. */
export const usualTokenLength = 4;
/** Conservative value for content that must fit: the real token count is very unlikely to be higher. */
export const conservativeTokenLength = 3;

/** Returns the approximate number of tokens of a text. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / usualTokenLength);
}

/** Returns the characters per token as counted by a server, limited to 1 to 8. */
export function measuredTokenLength(characters: number, tokens: number): number {
  return Math.min(8, Math.max(1, characters / tokens));
}
