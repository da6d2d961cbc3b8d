import { highlighter } from './languages';
import { colouredAtOnce, longestColouredLine } from './limits';

const largest = 50_000;

/**
 * Returns highlighted HTML, which must be sanitized. Returns null for an unknown language, large code or a long line. The
 * highlighter can scan to the end from each position, so the code is passed in pieces of whole lines.
 */
export function highlight(code: string, language: string): string | null {
  if (code.length > largest || hasLongLine(code)) return null;
  const hljs = highlighter();
  if (hljs.getLanguage(language) === undefined) return null;
  const pieces = splitCode(code).map((piece) => hljs.highlight(piece, { language, ignoreIllegals: true }).value);
  return pieces.join('');
}

function hasLongLine(code: string): boolean {
  for (let start = 0; start < code.length;) {
    const end = code.indexOf('\n', start);
    if ((end === -1 ? code.length : end) - start > longestColouredLine) return true;
    if (end === -1) return false;
    start = end + 1;
  }
  return false;
}

/** Splits at empty lines if possible, because a token that is split loses its color. */
function splitCode(code: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (code.length - start > colouredAtOnce) {
    const limit = start + colouredAtOnce;
    const empty = code.lastIndexOf('\n\n', limit - 2);
    const end = (empty > start + colouredAtOnce / 2 ? empty + 1 : code.lastIndexOf('\n', limit - 1)) + 1;
    pieces.push(code.slice(start, end));
    start = end;
  }
  return [...pieces, code.slice(start)];
}

const names: Readonly<Record<string, string>> = {
  js: 'JavaScript', javascript: 'JavaScript', jsx: 'JSX', ts: 'TypeScript', typescript: 'TypeScript', tsx: 'TSX', py: 'Python', python: 'Python',
  sh: 'Shell', bash: 'Shell', shell: 'Shell', zsh: 'Shell', console: 'Shell', json: 'JSON', yaml: 'YAML', yml: 'YAML', html: 'HTML', xml: 'XML',
  css: 'CSS', scss: 'SCSS', sql: 'SQL', md: 'Markdown', markdown: 'Markdown', go: 'Go', rust: 'Rust', rs: 'Rust', java: 'Java', c: 'C', cpp: 'C++',
  csharp: 'C#', cs: 'C#', php: 'PHP', ruby: 'Ruby', rb: 'Ruby', diff: 'Diff', dockerfile: 'Dockerfile', toml: 'TOML', ini: 'INI', text: 'Text', txt: 'Text',
}; // prettier-ignore

export function languageName(language: string): string {
  return (Object.hasOwn(names, language) ? names[language] : undefined) ?? language;
}
