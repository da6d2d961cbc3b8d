import { AppError } from '../../utils/errors';
import type { Phrase } from '../../utils/l10n';

/** Lines from 0; `end` is exclusive. */
export interface LineRange {
  start: number;
  end: number;
}

/** A pending change by the agent in a file. */
export interface ReviewHunk {
  /** Stable while the change exists, wherever it moves. */
  id: string;
  /** Absolute path. */
  path: string;
  /** Range in the current text; empty for deleted lines, which were before this line. */
  range: LineRange;
  /** Lines in the range that the agent wrote. Lines between them are the user's. */
  written: LineRange[];
  /** Replaced lines, without line endings. */
  oldLines: readonly string[];
  newLines: readonly string[];
  additions: number;
  deletions: number;
  /** True if the user has rewritten the agent's lines, so that undoing requires a merge. */
  isContested: boolean;
  /** `seq` of the message it answers. */
  turn: number;
}

/** A file with pending changes. */
export interface FileReviewState {
  /** Absolute path without links. */
  path: string;
  shown: string;
  /** Former name of a renamed file. */
  from?: string;
  status: 'created' | 'modified' | 'deleted' | 'renamed';
  /** `file`: can be answered only as a whole (not text, too large, a notebook, deleted, or only line endings changed). */
  level: 'hunks' | 'file';
  hunks: ReviewHunk[];
  additions: number;
  deletions: number;
  /** `seq` of the messages that changed it, oldest first. */
  turns: number[];
}

/** Pending changes of a session, in the order of the agent's first changes. */
export interface ReviewSession {
  sessionId: string;
  files: FileReviewState[];
}

export interface ReviewPlace {
  path: string;
  /** From 0. */
  line: number;
}

/** Number of the current change (from 1; 0 for none) and of all. A file of level `file` counts as one change. */
export interface ReviewPosition {
  current: number;
  total: number;
  path: string | null;
  shown: string | null;
  hunkId: string | null;
  additions: number;
  deletions: number;
}

export interface HunkStats {
  sessionId: string;
  path: string;
  additions: number;
  deletions: number;
  hunks: number;
}

/** Part of a file's changes to answer. */
export interface HunkChoice {
  /** Absolute path. */
  path: string;
  /** Ids of hunks; null for the whole file. */
  ids: readonly string[] | null;
  /** Lines of the current text that limit the answer within one hunk. */
  lines?: LineRange | undefined;
}

/** Outcome of an undo: undone files, and skipped ones with the reason (`asked`: the user chose so). */
export interface UndoOutcome {
  undone: string[];
  left: { shown: string; reason: string }[];
}

export type ChangesErrorCode = 'reviewGone' | 'hunkGone' | 'conflict' | 'noFolder';

/** Returns the reasons for skipped files, except the user's own choices. */
export function problemsOf({ left }: UndoOutcome): string[] {
  return left.map(({ reason }) => reason).filter((reason) => reason !== 'asked');
}

/** Thrown if pending changes cannot be answered now. */
export class ChangesError extends AppError {
  constructor(
    readonly code: ChangesErrorCode,
    words: string | Phrase,
  ) {
    super(`${code}: ${typeof words === 'string' ? words : words.english}`, words);
  }
}
