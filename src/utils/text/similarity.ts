/** Returns the Jaccard similarity of two sets. It is 1 if both are empty. */
export function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 && other.size === 0) return 1;
  let shared = 0;
  for (const piece of one) if (other.has(piece)) shared += 1;
  return shared / (one.size + other.size - shared);
}

/** Returns the words of a text, without numbers. */
export function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{2,}/gu) ?? []);
}
