import type { CompletionDocument } from '../completionTypes';
import { withoutClosers } from '../text/closers';
import { PrefixTrie } from './prefixTrie';

interface Entry {
  scope: string;
  before: string;
  text: string;
}

const capacity = 100;
/** Number of characters before the cursor that form the key of an entry. Suggestions are never longer. */
const keyLength = 4000;
/** Number of characters after the cursor that must match. */
const tailLength = 1000;

/**
 * Caches responses by the text around the cursor, the model and the context. If the user
 * types the suggested text, lookups return the rest of the response. If the user deletes
 * it, they return the whole response again. Keeps the 100 most recently used responses.
 */
export class CompletionCache {
  private readonly tries = new Map<string, PrefixTrie<Entry>>();
  /** Entries from the least to the most recently used. */
  private readonly entries = new Set<Entry>();

  set(document: CompletionDocument, version: string, text: string): void {
    const entry = { scope: createScope(document, version), before: copied(createKey(document.before)), text };
    const trie = this.tries.get(entry.scope) ?? new PrefixTrie<Entry>();
    this.tries.set(entry.scope, trie);
    for (const { value, rest } of trie.along(entry.before)) if (rest === '') this.entries.delete(value);
    trie.set(entry.before, entry);
    this.entries.add(entry);
    if (this.entries.size > capacity) this.forgetOldest();
  }

  /** Returns the rest of a cached response that agrees with the typed text, or undefined if there is none. */
  find(document: CompletionDocument, version: string): string | undefined {
    const trie = this.tries.get(createScope(document, version));
    for (const { value, rest } of trie?.along(createKey(document.before)) ?? []) {
      if (value.text.length <= rest.length || !value.text.startsWith(rest)) continue;
      this.entries.delete(value);
      this.entries.add(value);
      return value.text.slice(rest.length);
    }
    return undefined;
  }

  clear(): void {
    this.tries.clear();
    this.entries.clear();
  }

  private forgetOldest(): void {
    const [oldest] = this.entries;
    if (oldest === undefined) return;
    this.entries.delete(oldest);
    this.tries.get(oldest.scope)?.delete(oldest.before);
    if (![...this.entries].some(({ scope }) => scope === oldest.scope)) this.tries.delete(oldest.scope);
  }
}

function createScope({ uri, after }: CompletionDocument, version: string): string {
  return [version, uri, withoutClosers(after.slice(0, tailLength))].join('\0');
}

/** Shortens a long text in fixed steps, so that the start of the key stays the same during typing. */
function createKey(before: string): string {
  const from = Math.max(0, before.length - keyLength);
  return before.slice(from - (from % keyLength));
}

/** Copies a text, because a slice would retain the whole document in memory. */
function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
