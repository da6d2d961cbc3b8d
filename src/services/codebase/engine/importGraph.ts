import { posix } from 'node:path';

/** Matches import statements with a relative path, in the syntax of each language. */
const patterns = [
  /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"](\.{1,2}\/[^'"\n]+)['"]/g,
  /^[ \t]*from[ \t]+(\.+[\w.]*)[ \t]+import\b/gm,
  /^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm,
];
const ending = /\.(?:[cm]?[jt]sx?|vue|svelte|py|h|hpp|c|cc|cpp)$/;
const maxImports = 200;

/** Returns the files that a file imports, as paths from the root without extension. Only relative imports count. */
export function findImports(path: string, text: string): string[] {
  const folder = posix.dirname(path);
  const found = new Set<string>();
  for (const pattern of patterns)
    for (const [, specifier = ''] of text.matchAll(pattern)) {
      if (found.size >= maxImports) return [...found];
      const target = posix.join(folder, asPath(specifier));
      if (!target.startsWith('..')) found.add(cutExtension(target));
    }
  return [...found];
}

/** Counts, for each file, the other files that it imports or that import it. */
export function linksAmong(texts: ReadonlyMap<string, string>): Map<string, number> {
  const byStem = new Map([...texts.keys()].map((path) => [cutExtension(path), path]));
  const linked = new Map([...texts.keys()].map((path) => [path, new Set<string>()]));
  for (const [path, text] of texts)
    for (const stem of findImports(path, text)) {
      const other = byStem.get(stem);
      if (other === undefined || other === path) continue;
      linked.get(path)?.add(other);
      linked.get(other)?.add(path);
    }
  return new Map([...linked].map(([path, others]) => [path, others.size]));
}

/** Converts the dots in Python's relative imports to a path. Does not change other specifiers. */
function asPath(specifier: string): string {
  const [, dots = '', names = ''] = /^(\.+)([\w.]*)$/.exec(specifier) ?? [];
  if (dots === '' || specifier.includes('/')) return specifier;
  return `${dots.length === 1 ? '.' : '../'.repeat(dots.length - 1)}/${names.replaceAll('.', '/')}`;
}

/** Returns a path without extension. The path of an index file becomes the path of its folder. */
function cutExtension(path: string): string {
  return path.replace(ending, '').replace(/\/(?:index|__init__)?$/, '');
}
