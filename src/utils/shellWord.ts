/**
 * Quotes text as a single shell argument. On Windows, PowerShell and cmd read the result as the same word. They have no common
 * escape character. The following characters are therefore removed: straight and typographic double quotes, `%`, `$`, `` ` ``,
 * line breaks, and `\` at the end.
 */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
  // PowerShell splits `-Da.b` and `a,b`, and expands `@a`.
  if (/^[\w+=:./\\-]+$/.test(text) && !/^-.*[.:]|\\$/.test(text)) return text;
  return `"${text.replace(/["\u201c-\u201e%$`\r\n]/g, '').replace(/\\+$/, '')}"`;
}
