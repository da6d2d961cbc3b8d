import { highlighter } from './languages';

const largest = 50_000;

/** HTML of highlighted code (to be sanitised), or null where it stays plain: no known language, or too large. */
export function highlight(code: string, language: string): string | null {
  if (code.length > largest) return null;
  const hljs = highlighter();
  if (hljs.getLanguage(language) === undefined) return null;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

const names: Readonly<Record<string, string>> = {
  js: 'JavaScript', javascript: 'JavaScript', jsx: 'JSX', ts: 'TypeScript', typescript: 'TypeScript', tsx: 'TSX', py: 'Python', python: 'Python',
  sh: 'Shell', bash: 'Shell', shell: 'Shell', zsh: 'Shell', console: 'Shell', json: 'JSON', yaml: 'YAML', yml: 'YAML', html: 'HTML', xml: 'XML',
  css: 'CSS', scss: 'SCSS', sql: 'SQL', md: 'Markdown', markdown: 'Markdown', go: 'Go', rust: 'Rust', rs: 'Rust', java: 'Java', c: 'C', cpp: 'C++',
  csharp: 'C#', cs: 'C#', php: 'PHP', ruby: 'Ruby', rb: 'Ruby', diff: 'Diff', dockerfile: 'Dockerfile', toml: 'TOML', ini: 'INI', text: 'Text', txt: 'Text',
}; // prettier-ignore

/** The language as a person writes it. */
export function languageName(language: string): string {
  return (Object.hasOwn(names, language) ? names[language] : undefined) ?? language;
}
