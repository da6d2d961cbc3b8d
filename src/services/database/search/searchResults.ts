import type { ProjectScope } from './projectScope';
import type { MarkedText } from './searchText';

export interface SearchRequest {
  query: string;
  offset: number;
  limit: number;
  /** True to order by the time of the last activity instead of by how well a session matches. */
  newestFirst?: boolean | undefined;
}

/** A request for entries instead of sessions. */
export interface EntrySearchRequest extends SearchRequest {
  /** Null: those of every session. */
  sessionId: string | null;
  /** Bounds of a search for a model. Absent: a person searches, in all projects. */
  scope?: ProjectScope | undefined;
}

export interface FoundSession {
  sessionId: string;
  title: MarkedText;
  /** The line that matched best, with the entry it is from; null where only the title did. */
  line: (MarkedText & { seq: number }) | null;
}

export interface FoundEntry {
  sessionId: string;
  seq: number;
  line: MarkedText;
}

interface Found<T> {
  found: T[];
  hasMore: boolean;
  /** False while older entries are still being indexed: the same search may find more later. */
  isComplete: boolean;
  /** False where this runtime has no full-text search and everything was read instead. */
  isIndexed: boolean;
}

export type SearchPage = Found<FoundSession>;
export type EntrySearchPage = Found<FoundEntry>;
