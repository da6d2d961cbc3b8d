/** Parses JSON with comments and trailing commas, as in settings files. Throws as `JSON.parse` does. */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(withoutTrailingCommas(withoutComments(text.replace(/^\uFEFF/, '')))) as unknown;
}

/** String, which is kept, or text to remove. */
const commentOrString = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const commaOrString = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g;

function withoutComments(text: string): string {
  return text.replace(commentOrString, (found) => (found.startsWith('"') ? found : ' '));
}

function withoutTrailingCommas(text: string): string {
  return text.replace(commaOrString, (found) => (found.startsWith('"') ? found : ''));
}
