import { mostFromReferences } from './limits';
import { markdown } from './parser';

/** Link targets of one block, by label. Null for a target that would make the block too large. */
export type References = Record<string, Reference | null>;
interface Reference {
  title: string;
  href: string;
}

/**
 * Stores the definitions of a growing text. A block gets only the definitions that it mentions, so that
 * a definition only affects blocks with its label.
 */
export class ReferenceIndex {
  private readonly finished = new Map<string, Reference>();
  private inTail = new Map<string, Reference>();
  /** Indexes of finished blocks, by mentioned label. */
  private readonly mentioned = new Map<string, number[]>();

  /** Records the definitions in the tail. Returns the finished blocks that they affect. */
  noteTail(references: References = {}): ReadonlySet<number> {
    const touched = new Set<number>();
    const before = this.inTail;
    this.inTail = new Map(listEntries(references).filter(([label]) => !this.finished.has(label)));
    for (const label of new Set([...before.keys(), ...this.inTail.keys()])) {
      if (this.finished.has(label) || isSame(before.get(label), this.inTail.get(label))) continue;
      for (const index of this.mentioned.get(label) ?? []) touched.add(index);
    }
    return touched;
  }

  /** Stores the definitions of finished blocks. The first definition of a label is used. */
  finishDefinitions(references: References = {}): void {
    for (const [label, reference] of listEntries(references)) if (!this.finished.has(label)) this.finished.set(label, reference);
  }

  finishBlock(source: string, index: number): void {
    for (const label of mentionsIn(source).keys()) {
      const blocks = this.mentioned.get(label);
      if (blocks === undefined) this.mentioned.set(label, [index]);
      else blocks.push(index);
    }
  }

  /** Returns the defined references that a block mentions, or null. */
  of(source: string): References | null {
    let found: References | null = null;
    let left = mostFromReferences;
    for (const [label, times] of mentionsIn(source)) {
      const reference = this.finished.get(label) ?? this.inTail.get(label);
      if (reference === undefined) continue;
      const size = times * (reference.href.length + reference.title.length);
      found ??= {};
      found[label] = size <= left ? reference : null;
      if (size <= left) left -= size;
    }
    return found;
  }
}

export function areSameReferences(one: References | null, other: References | null): boolean {
  if (one === null || other === null) return one === other;
  const labels = Object.keys(one);
  return labels.length === Object.keys(other).length && labels.every((label) => isSame(one[label], other[label]));
}

function isSame(one: Reference | null | undefined, other: Reference | null | undefined): boolean {
  return one === other || (one?.href === other?.href && one?.title === other?.title && !one === !other);
}

function listEntries(references: References): [string, Reference][] {
  return Object.entries(references).filter((entry): entry is [string, Reference] => entry[1] !== null);
}

/**
 * Returns possible reference labels in a block and how often each occurs. If a label continues on the next line of a quote,
 * it contains the quote marker.
 */
function mentionsIn(source: string): Map<string, number> {
  const mentions = new Map<string, number>();
  if (!source.includes('[')) return mentions;
  const note = (label: string) => mentions.set(label, (mentions.get(label) ?? 0) + 1);
  for (const [, label = ''] of source.matchAll(/\[((?:\\[^]|[^[\]\\])+)\]/g)) {
    note(markdown.utils.normalizeReference(label));
    if (/\n[ \t]*>/.test(label)) note(markdown.utils.normalizeReference(label.replaceAll(/\n[ \t>]+/g, '\n')));
  }
  return mentions;
}
