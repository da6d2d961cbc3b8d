import { posix } from 'node:path';

/** Import statements with a relative path, in the syntax of each language. */
const patterns = [
  /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"](\.{1,2}\/[^'"\n]+)['"]/g,
  /^[ \t]*from[ \t]+(\.+[\w.]*)[ \t]+import\b/gm,
  /^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm,
];
const ending = /\.(?:[cm]?[jt]sx?|vue|svelte|py|h|hpp|c|cc|cpp)$/;
const maxImports = 200;

/** Returns the files that a file imports: paths from the root, without extension. Only relative imports count. */
export function importsOf(path: string, text: string): string[] {
  const folder = posix.dirname(path);
  const found = new Set<string>();
  for (const pattern of patterns)
    for (const [, specifier = ''] of text.matchAll(pattern)) {
      if (found.size >= maxImports) return [...found];
      const target = posix.join(folder, asPath(specifier));
      if (!target.startsWith('..')) found.add(stemOf(target));
    }
  return [...found];
}

/** Counts for each file how many of the other files it imports or is imported by. */
export function linksAmong(texts: ReadonlyMap<string, string>): Map<string, number> {
  const byStem = new Map([...texts.keys()].map((path) => [stemOf(path), path]));
  const linked = new Map([...texts.keys()].map((path) => [path, new Set<string>()]));
  for (const [path, text] of texts)
    for (const stem of importsOf(path, text)) {
      const other = byStem.get(stem);
      if (other === undefined || other === path) continue;
      linked.get(path)?.add(other);
      linked.get(other)?.add(path);
    }
  return new Map([...linked].map(([path, others]) => [path, others.size]));
}

/** Converts the dots of Python's relative imports to a path. Other specifiers are unchanged. */
function asPath(specifier: string): string {
  const [, dots = '', names = ''] = /^(\.+)([\w.]*)$/.exec(specifier) ?? [];
  if (dots === '' || specifier.includes('/')) return specifier;
  return `${dots.length === 1 ? '.' : '../'.repeat(dots.length - 1)}/${names.replaceAll('.', '/')}`;
}

/** Returns a path without extension. An index file becomes its folder. */
function stemOf(path: string): string {
  return path.replace(ending, '').replace(/\/(?:index|__init__)?$/, '');
}
