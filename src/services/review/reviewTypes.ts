import { AppError } from '../../utils/errors';
import type { Phrase } from '../../utils/l10n';

/** Lines from 0, the end left out. */
export interface LineRange {
  start: number;
  end: number;
}

/** A change of the agent that stands in a file and waits for an answer. */
export interface ReviewHunk {
  /** Stays the same while the change does, wherever it moves. */
  id: string;
  /** Absolute. */
  path: string;
  /** Its place in the text as it is now; empty where lines were only deleted, which were before its line. */
  range: LineRange;
  /** The lines in it that the agent wrote; those between them are a person's. */
  written: LineRange[];
  /** Holds what was there before, without line ends. */
  oldLines: readonly string[];
  newLines: readonly string[];
  additions: number;
  deletions: number;
  /** Tells whether a person has rewritten what the agent replaced: undoing it asks for a merge. */
  isContested: boolean;
  /** `seq` of the message that it answers. */
  turn: number;
}

/** A file that waits for answers. */
export interface FileReviewState {
  /** Absolute and free of links. */
  path: string;
  shown: string;
  /** Former name of a renamed file. */
  from?: string;
  status: 'created' | 'modified' | 'deleted' | 'renamed';
  /** `file`: answered as a whole only (no text, too large, a notebook, deleted, changed in its line ends alone). */
  level: 'hunks' | 'file';
  hunks: ReviewHunk[];
  additions: number;
  deletions: number;
  /** `seq` of the messages that changed it, the oldest first. */
  turns: number[];
}

/** Holds what waits in one session, in the order in which the agent touched the files. */
export interface ReviewSession {
  sessionId: string;
  files: FileReviewState[];
}

export interface ReviewPlace {
  path: string;
  /** From 0. */
  line: number;
}

/** Change `current` (from 1; 0 where the cursor is at none) of `total`; a file of level `file` counts as one. */
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

/** Part of a file's changes that a person answers. */
export interface HunkChoice {
  /** Absolute. */
  path: string;
  /** Ids of hunks; null for the file as a whole. */
  ids: readonly string[] | null;
  /** Lines of the present text that limit the answer within one hunk. */
  lines?: LineRange | undefined;
}

/** Outcome of an undo: files that were brought back, and those that were left, with the reason (`asked`: a person decided so). */
export interface UndoOutcome {
  undone: string[];
  left: { shown: string; reason: string }[];
}

export type ChangesErrorCode = 'reviewGone' | 'hunkGone' | 'conflict' | 'noFolder';

/** Returns the reasons for what was left; what a person has decided to leave is no problem. */
export function problemsOf({ left }: UndoOutcome): string[] {
  return left.map(({ reason }) => reason).filter((reason) => reason !== 'asked');
}

/** Says why an answer to pending changes is not possible right now. */
export class ChangesError extends AppError {
  constructor(
    readonly code: ChangesErrorCode,
    words: string | Phrase,
  ) {
    super(`${code}: ${typeof words === 'string' ? words : words.english}`, words);
  }
}
