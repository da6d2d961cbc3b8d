import type { SymbolPlace } from '../codebaseProtocol';
import { definedIn } from './chunks';
import type { IndexStore } from './indexStore';

const maxChunks = 100;
/** Matches prose files, which have headings instead of symbols. */
const prose = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;
const testFile = /(?:^|\/)(?:tests?|specs?|__tests__|fixtures?)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$/i;
const comment = /^\s*(?:\/\/|\/?\*|#(?!define)|--|<!--)/;
const named = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/**
 * Returns the definitions of a symbol, one per file. Definitions in tests count only if
 * no other file defines the symbol. `name` is a name or `Type.member`. For a member, a
 * file must define both names. `linesOf` returns the lines of a file as it was indexed.
 */
export function findDefinitions(name: string, store: IndexStore, linesOf: (path: string) => string[] | null): SymbolPlace[] {
  const parts = name.split('.');
  const [member = '', owner] = parts.toReversed();
  if (parts.length > 2 || parts.some((part) => !named.test(part))) return [];
  const owners = owner === undefined ? null : new Set(chunksWith(owner, store).map(({ path }) => path));
  const firsts = new Map<string, SymbolPlace>();
  for (const { path, first, last } of chunksWith(member, store)) {
    if (owners?.has(path) === false) continue;
    const line = findLine(member, linesOf(path)?.slice(first - 1, last) ?? []);
    const known = firsts.get(path);
    if (line !== null && (known === undefined || first + line < known.line)) firsts.set(path, { path, line: first + line });
  }
  const places = [...firsts.values()];
  const ofCode = places.filter(({ path }) => !testFile.test(path));
  return ofCode.length > 0 ? ofCode : places;
}

function chunksWith(name: string, store: IndexStore) {
  return store
    .searchWords([name], maxChunks, 'symbols')
    .map((id) => store.chunk(id))
    .filter((chunk) => chunk !== null)
    .filter(({ path, symbols }) => symbols.includes(name) && !prose.test(path));
}

/**
 * Returns the line (starting at 0) that defines a name. Otherwise,
 * returns the first line that contains the name outside a comment.
 */
function findLine(name: string, lines: readonly string[]): number | null {
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll('$', '\\$')}(?![\\p{L}\\p{N}_$])`, 'u');
  const said = lines.findIndex((line) => definedIn(line) === name);
  const found = said === -1 ? lines.findIndex((line) => whole.test(line) && !comment.test(line)) : said;
  return found === -1 ? null : found;
}
