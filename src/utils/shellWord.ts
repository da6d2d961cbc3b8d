/** Returns a word that a shell takes for one argument, whatever is in it. On Windows a `"` has no safe form: it is left out. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w@%+=:,./-]+$/.test(text) && !(platform === 'win32' && text.includes('%'))) return text;
  return platform === 'win32' ? `"${text.replace(/["%\r\n]/g, '')}"` : `'${text.replace(/'/g, `'\\''`)}'`;
}
