import type { MarkedText } from './searchText';

export interface SearchRequest {
  query: string;
  offset: number;
  limit: number;
}

export interface FoundSession {
  sessionId: string;
  title: MarkedText;
  /** The line that matched best, with the entry it is from; null where only the title did. */
  line: (MarkedText & { seq: number }) | null;
}

export interface SearchPage {
  found: FoundSession[];
  hasMore: boolean;
  /** False while older entries are still being indexed: the same search may find more later. */
  isComplete: boolean;
  /** False where this runtime has no full-text search and everything was read instead. */
  isIndexed: boolean;
}
