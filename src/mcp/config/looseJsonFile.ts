/** Parses JSON with comments and trailing commas, as in settings files. Throws the same errors as `JSON.parse`. */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(withoutTrailingCommas(withoutComments(text.replace(/^\uFEFF/, '')))) as unknown;
}

/** Matches a string, which is kept, or text to remove. */
const commentOrString = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const commaOrString = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g;

function withoutComments(text: string): string {
  return text.replace(commentOrString, (found) => (found.startsWith('"') ? found : ' '));
}

function withoutTrailingCommas(text: string): string {
  return text.replace(commaOrString, (found) => (found.startsWith('"') ? found : ''));
}
