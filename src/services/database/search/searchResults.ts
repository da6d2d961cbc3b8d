import type { ProjectScope } from './projectScope';
import type { MatchedText } from './searchText';

export interface SearchRequest {
  query: string;
  offset: number;
  limit: number;
  /** True to sort by last activity instead of relevance. */
  newestFirst?: boolean | undefined;
}

export interface EntrySearchRequest extends SearchRequest {
  /** Session to search; null for all sessions. */
  sessionId: string | null;
  /** Limits of a search by the model. Absent if the user searches all projects. */
  scope?: ProjectScope | undefined;
}

export interface SessionMatch {
  sessionId: string;
  title: MatchedText;
  /** Best matching line with the `seq` of its entry; null if only the title matched. */
  line: (MatchedText & { seq: number }) | null;
}

export interface FoundEntry {
  sessionId: string;
  seq: number;
  line: MatchedText;
  /** Relevance, where lower is better; absent if the entries are not ranked. */
  rank?: number;
}

interface Found<T> {
  found: T[];
  hasMore: boolean;
  /** False while older entries are not indexed yet. The same search may find more later. */
  isComplete: boolean;
  /** False if SQLite has no full-text search, so that all entries were scanned. */
  isIndexed: boolean;
}

export interface SearchPage extends Found<SessionMatch> {
  /** Present if excluded words were searched as normal text. All these results are on one page. */
  isAsText?: true;
}
export type EntrySearchPage = Found<FoundEntry>;
