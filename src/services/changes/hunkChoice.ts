/** What a person answers of a file. */
export interface HunkChoice {
  /** Absolute. */
  path: string;
  /** Of hunks; null: the file as a whole. */
  ids: readonly string[] | null;
  /** Of one hunk only these lines of the present text: from 0, the end left out. */
  lines?: { start: number; end: number };
}
