import type { SessionList } from '../types';

type Rows = Pick<SessionList, 'items' | 'hasMore'>;

/**
 * Returns the rows with a new page. The first page replaces all rows, but a shorter first page
 * after a reload keeps the rows that follow it.
 */
export function withPage({ items, hasMore }: Rows, page: Rows, offset: number, limit: number): Rows {
  const known = new Set(page.items.map(({ session }) => session.id));
  const others = (from: number) => items.slice(from).filter(({ session }) => !known.has(session.id));
  if (offset > 0) return { items: [...others(0), ...page.items], hasMore: page.hasMore };
  if (!page.hasMore || items.length <= limit) return page;
  const places = new Map(items.map(({ session }, place) => [session.id, place]));
  const last = page.items.findLast(({ session }) => places.has(session.id));
  const after = last === undefined ? 0 : (places.get(last.session.id) ?? 0) + 1;
  return { items: [...page.items, ...others(after)], hasMore };
}
