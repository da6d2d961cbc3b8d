import { posix } from 'node:path';

/** Specifiers of other files of the same workspace, as languages write them. */
const patterns = [
  /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"](\.{1,2}\/[^'"\n]+)['"]/g,
  /^[ \t]*from[ \t]+(\.+[\w.]*)[ \t]+import\b/gm,
  /^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm,
];
const ending = /\.(?:[cm]?[jt]sx?|vue|svelte|py|h|hpp|c|cc|cpp)$/;
/** Files of which imports are followed; more are noise. */
const mostLinks = 200;

/** Returns the files that a file imports, from the root, without their endings; what is no relative path is left out. */
export function importsOf(path: string, text: string): string[] {
  const folder = posix.dirname(path);
  const found = new Set<string>();
  for (const pattern of patterns)
    for (const [, specifier = ''] of text.matchAll(pattern)) {
      if (found.size >= mostLinks) return [...found];
      const target = posix.join(folder, asPath(specifier));
      if (!target.startsWith('..')) found.add(stemOf(target));
    }
  return [...found];
}

/** Counts, for each of the files, how many of the others it imports or is imported by. */
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

/** Turns the dots of Python's relative imports into a path; leaves other specifiers as they are. */
function asPath(specifier: string): string {
  const [, dots = '', names = ''] = /^(\.+)([\w.]*)$/.exec(specifier) ?? [];
  if (dots === '' || specifier.includes('/')) return specifier;
  return `${dots.length === 1 ? '.' : '../'.repeat(dots.length - 1)}/${names.replaceAll('.', '/')}`;
}

/** Returns a path without its ending; a folder's own file counts as the folder. */
function stemOf(path: string): string {
  return path.replace(ending, '').replace(/\/(?:index|__init__)?$/, '');
}
