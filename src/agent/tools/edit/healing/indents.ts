/**
 * Returns a function that adds the file's extra indentation compared
 * with the requested lines. It adds nothing if the difference varies.
 */
export function indentAt(there: readonly string[], asked: readonly string[]): (line: string) => string {
  let common: string | null = null;
  for (const [index, wanted] of asked.entries()) {
    if (wanted.trim() === '') continue;
    const deep = readIndent(there[index] ?? '');
    const shallow = readIndent(wanted);
    const more = deep.endsWith(shallow) ? deep.slice(0, deep.length - shallow.length) : '';
    common = common === null || common === more ? more : '';
  }
  const indent = common ?? '';
  return (line) => (line === '' ? line : indent + line);
}

function readIndent(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}
