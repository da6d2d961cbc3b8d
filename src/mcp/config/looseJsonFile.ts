/** Parses JSON that may have comments and commas before a closing bracket, as editors' own files have them. Throws what `JSON.parse` does. */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(withoutTrailingCommas(withoutComments(text.replace(/^\uFEFF/, '')))) as unknown;
}

/** A text in quotes, kept as it is, or what is to be left out. */
const commentOrText = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const commaOrText = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g;

function withoutComments(text: string): string {
  return text.replace(commentOrText, (found) => (found.startsWith('"') ? found : ' '));
}

function withoutTrailingCommas(text: string): string {
  return text.replace(commaOrText, (found) => (found.startsWith('"') ? found : ''));
}
