/** Returns the share of the pieces of both that are in both; 1 where neither has any. */
export function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 && other.size === 0) return 1;
  let shared = 0;
  for (const piece of one) if (other.has(piece)) shared += 1;
  return shared / (one.size + other.size - shared);
}

/** Returns the words of a text without what numbers are in it. */
export function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{2,}/gu) ?? []);
}
