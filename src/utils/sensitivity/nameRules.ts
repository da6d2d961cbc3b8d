import { expandBraces, hasWildcards } from '../text/globs';

/** Names of one kind of file. Some globs require approval, others exempt files. */
export interface ListedFiles {
  readonly kind: string;
  readonly askPatterns: readonly string[];
  readonly exemptPatterns?: readonly string[];
}

export interface NameRule<K> {
  /** Built-in glob. Without `/`, it matches the file name only. */
  pattern: string;
  isFree: boolean;
  kind: K;
}

/** Consecutive patterns with the same result, which are tested together. */
interface Group<K> {
  rule: NameRule<K>;
  sources: { name: string[]; path: string[] };
}

interface CompiledGroup<K> {
  rule: NameRule<K>;
  names: ReadonlySet<string>;
  name: RegExp | null;
  path: RegExp | null;
}

/**
 * Finds the last matching rule among many fixed patterns, ignoring case. Returns the same result as `globMatcher` for each
 * pattern. It is much faster, which is necessary because a search checks every file.
 */
export class NameRules<K> {
  /** Groups by precedence, highest first. Compiled on first use, because they are not needed at startup. */
  private groups: readonly CompiledGroup<K>[] | undefined;

  constructor(private readonly rules: readonly NameRule<K>[]) {}

  of(path: string): Pick<NameRule<K>, 'isFree' | 'kind'> | undefined {
    const plain = path.toLowerCase();
    const own = plain.slice(plain.lastIndexOf('/') + 1);
    this.groups ??= compileGroups(this.rules);
    return this.groups.find(
      ({ names, name, path: inPath }) => names.has(own) || name?.test(own) === true || inPath?.test(plain) === true,
    )?.rule;
  }
}

function compileGroups<K>(rules: readonly NameRule<K>[]): CompiledGroup<K>[] {
  const groups: (Group<K> & { names: Set<string> })[] = [];
  for (const rule of rules) {
    let group = groups.at(-1);
    if (group?.rule.kind !== rule.kind || group.rule.isFree !== rule.isFree) {
      group = { rule, names: new Set(), sources: { name: [], path: [] } };
      groups.push(group);
    }
    for (const one of expandBraces(rule.pattern).map((pattern) => pattern.toLowerCase())) {
      if (one.includes('/')) group.sources.path.push(toSource(one));
      else if (hasWildcards(one)) group.sources.name.push(toSource(one));
      else group.names.add(one);
    }
  }
  return groups
    .reverse()
    .map(({ rule, names, sources }) => ({ rule, names, name: anyOf(sources.name), path: anyOf(sources.path) }));
}

/** Converts lists to rules. Later rules take precedence. */
export function rulesOfLists<K>(lists: readonly ListedFiles[], kind: K): NameRule<K>[] {
  return lists.flatMap(({ askPatterns: asks, exemptPatterns: frees = [] }) => [
    ...asks.map((pattern) => ({ pattern, isFree: false, kind })),
    ...frees.map((pattern) => ({ pattern, isFree: true, kind })),
  ]);
}

function anyOf(sources: readonly string[]): RegExp | null {
  return sources.length === 0 ? null : new RegExp(`^(?:${sources.join('|')})$`, 'su');
}

/** Converts a glob without braces to a regular expression. `**` matches any number of folders. */
function toSource(pattern: string): string {
  const parts = pattern.split('/');
  return parts
    .map((part, at) => {
      const isLast = at === parts.length - 1;
      if (part === '**') return isLast ? '(?:/.*)?' : at === 0 ? '(?:.*/)?' : '/(?:.*/)?';
      const before = at === 0 || parts[at - 1] === '**' ? '' : '/';
      return before + part.replace(/\[[^\]]+\]|[\s\S]/gu, characterSource);
    })
    .join('');
}

function characterSource(token: string): string {
  if (token === '*') return '[^/]*';
  if (token === '?') return '[^/]';
  if (token.length > 1 && token.startsWith('[')) return token.replace('[!', '[^/');
  return token.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
