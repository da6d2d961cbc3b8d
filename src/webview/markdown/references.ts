import { mostFromReferences } from './limits';
import { markdown } from './parser';

/** Targets of the links in one block, by their label; null for one that would make far more of the block than it says. */
export type References = Record<string, Reference | null>;
interface Reference {
  title: string;
  href: string;
}

/**
 * Holds the definitions of a growing text. Each block has those that it mentions and no others, so that a definition touches the blocks
 * before it that mention its label, and nothing else.
 */
export class ReferenceIndex {
  private readonly finished = new Map<string, Reference>();
  private inTail = new Map<string, Reference>();
  /** Finished blocks that mention a label. */
  private readonly mentioned = new Map<string, number[]>();

  /** Takes note of what the tail defines now. Returns the finished blocks that this touches. */
  noteTail(references: References = {}): ReadonlySet<number> {
    const touched = new Set<number>();
    const before = this.inTail;
    this.inTail = new Map(entriesOf(references).filter(([label]) => !this.finished.has(label)));
    for (const label of new Set([...before.keys(), ...this.inTail.keys()])) {
      if (this.finished.has(label) || isSame(before.get(label), this.inTail.get(label))) continue;
      for (const index of this.mentioned.get(label) ?? []) touched.add(index);
    }
    return touched;
  }

  /** Keeps what finished blocks define: the first definition of a label is the one that holds. */
  finishDefinitions(references: References = {}): void {
    for (const [label, reference] of entriesOf(references)) if (!this.finished.has(label)) this.finished.set(label, reference);
  }

  /** Remembers a finished block, so that later definitions find it. */
  finishBlock(source: string, index: number): void {
    for (const label of mentionsIn(source).keys()) {
      const blocks = this.mentioned.get(label);
      if (blocks === undefined) this.mentioned.set(label, [index]);
      else blocks.push(index);
    }
  }

  /** Returns the defined references that the block mentions, or null. */
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

function entriesOf(references: References): [string, Reference][] {
  return Object.entries(references).filter((entry): entry is [string, Reference] => entry[1] !== null);
}

/**
 * Returns all that may be the label of a reference in the block, and how often. A label that goes on in a quotation's next line has its
 * mark.
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
