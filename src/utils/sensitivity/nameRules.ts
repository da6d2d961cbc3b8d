import { expandBraces, hasWildcards } from '../text/globs';

/** Lists what a kind of file is called: globs that ask about such a file, and those that free one of them again. */
export interface ListedFiles {
  readonly kind: string;
  readonly asks: readonly string[];
  readonly frees?: readonly string[];
}

export interface NameRule<K> {
  /** A glob of our own; without `/` it is about the name alone. */
  pattern: string;
  isFree: boolean;
  kind: K;
}

/** Patterns that say the same one after the other: tried at once. */
interface Group<K> {
  rule: NameRule<K>;
  sources: { name: string[]; path: string[] };
}

interface Tried<K> {
  rule: NameRule<K>;
  names: ReadonlySet<string>;
  name: RegExp | null;
  path: RegExp | null;
}

/**
 * Answers for many fixed patterns, capitals or not, what the last one that matches says. As `globMatcher` for each would, in a fraction of
 * its time: a search asks about every file.
 */
export class NameRules<K> {
  /** Groups of rules, those that take precedence first; compiled with the first question, as a start asks none. */
  private groups: readonly Tried<K>[] | undefined;

  constructor(private readonly rules: readonly NameRule<K>[]) {}

  of(path: string): Pick<NameRule<K>, 'isFree' | 'kind'> | undefined {
    const plain = path.toLowerCase();
    const own = plain.slice(plain.lastIndexOf('/') + 1);
    this.groups ??= groupsOf(this.rules);
    return this.groups.find(
      ({ names, name, path: inPath }) => names.has(own) || name?.test(own) === true || inPath?.test(plain) === true,
    )?.rule;
  }
}

function groupsOf<K>(rules: readonly NameRule<K>[]): Tried<K>[] {
  const groups: (Group<K> & { names: Set<string> })[] = [];
  for (const rule of rules) {
    let group = groups.at(-1);
    if (group?.rule.kind !== rule.kind || group.rule.isFree !== rule.isFree) {
      group = { rule, names: new Set(), sources: { name: [], path: [] } };
      groups.push(group);
    }
    for (const one of expandBraces(rule.pattern).map((pattern) => pattern.toLowerCase())) {
      if (one.includes('/')) group.sources.path.push(sourceOf(one));
      else if (hasWildcards(one)) group.sources.name.push(sourceOf(one));
      else group.names.add(one);
    }
  }
  return groups
    .reverse()
    .map(({ rule, names, sources }) => ({ rule, names, name: anyOf(sources.name), path: anyOf(sources.path) }));
}

/** Returns the rules of lists, those that take precedence last. */
export function rulesOfLists<K>(lists: readonly ListedFiles[], kind: K): NameRule<K>[] {
  return lists.flatMap(({ asks, frees = [] }) => [
    ...asks.map((pattern) => ({ pattern, isFree: false, kind })),
    ...frees.map((pattern) => ({ pattern, isFree: true, kind })),
  ]);
}

function anyOf(sources: readonly string[]): RegExp | null {
  return sources.length === 0 ? null : new RegExp(`^(?:${sources.join('|')})$`, 'su');
}

/** Returns a glob without braces as a regular expression; `**` is any number of folders. */
function sourceOf(pattern: string): string {
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
