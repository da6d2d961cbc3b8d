/** Part of a file's changes that a person answers. */
export interface HunkChoice {
  /** Absolute. */
  path: string;
  /** Ids of hunks; null for the file as a whole. */
  ids: readonly string[] | null;
  /** Lines of the present text that limit the answer within one hunk: from 0, the end left out. */
  lines?: { start: number; end: number };
}
