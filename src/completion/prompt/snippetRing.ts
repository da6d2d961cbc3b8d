import type { FimContext } from '../models/fimFamily';

/** Number of lines in a snippet. */
export const windowLines = 40;
const capacity = 16;
/** Minimum similarity at which two snippets count as the same. */
const sameSimilarity = 0.9;
/** Minimum similarity of a useful snippet. */
const minSimilarity = 0.05;

interface Snippet extends FimContext {
  words: ReadonlySet<string>;
}

/** Stores snippets of recently viewed or edited files. A new snippet replaces a nearly equal snippet. */
export class SnippetRing {
  private readonly snippets: Snippet[] = [];

  add(path: string, text: string): void {
    if (text.trim().length < 20) return;
    const snippet = { path, text, words: collectWords(text) };
    const same = this.snippets.findIndex((one) => one.path === path && similarity(one.words, snippet.words) > sameSimilarity);
    if (same >= 0) this.snippets.splice(same, 1);
    this.snippets.push(snippet);
    if (this.snippets.length > capacity) this.snippets.shift();
  }

  /** Returns the snippets of other files that are most similar to a text. Returns one snippet per file, with the best first. */
  mostSimilar(text: string, path: string, count: number): FimContext[] {
    const words = collectWords(text);
    const ranked = this.snippets
      .filter((one) => one.path !== path)
      .map((one) => ({ one, score: similarity(one.words, words) }))
      .filter(({ score }) => score >= minSimilarity)
      .sort((a, b) => b.score - a.score);
    const found: FimContext[] = [];
    for (const { one } of ranked) {
      if (found.length < count && found.every((other) => other.path !== one.path)) found.push({ path: one.path, text: one.text });
    }
    return found;
  }

  forget(path: string): void {
    for (let at = this.snippets.length - 1; at >= 0; at -= 1) if (this.snippets[at]?.path === path) this.snippets.splice(at, 1);
  }
}

function collectWords(text: string): Set<string> {
  return new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? []);
}

/** Returns the Jaccard similarity of two sets of words, from 0 to 1. */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const word of small) if (large.has(word)) shared += 1;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}
