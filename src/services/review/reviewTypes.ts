import { AppError } from '../../utils/errors';
import type { Phrase } from '../../utils/l10n';

/** Line range. Lines are counted from 0, and `end` is exclusive. */
export interface LineRange {
  start: number;
  end: number;
}

/** Pending change by the agent in a file. */
export interface ReviewHunk {
  /** Id of the hunk. It does not change when the hunk moves. */
  id: string;
  /** Absolute path. */
  path: string;
  /** Range in the current text. If lines were only deleted, it is empty. The deleted lines were before this position. */
  range: LineRange;
  /** Ranges of lines that the agent wrote. The lines between them are the user's. */
  written: LineRange[];
  /** Replaced lines, without line endings. */
  oldLines: readonly string[];
  newLines: readonly string[];
  additions: number;
  deletions: number;
  /** True if the user has rewritten the agent's lines. Undoing the hunk then requires a merge. */
  isContested: boolean;
  /** `seq` of the message for which the agent wrote the hunk. */
  turn: number;
}

/** File with pending changes. */
export interface FileReviewState {
  /** Absolute path without links. */
  path: string;
  shown: string;
  /** Former name of a renamed file. */
  from?: string;
  status: 'created' | 'modified' | 'deleted' | 'renamed';
  /** `file`: can only be kept or undone as a whole (not text, too large, a notebook, deleted, or only line endings changed). */
  level: 'hunks' | 'file';
  hunks: ReviewHunk[];
  additions: number;
  deletions: number;
  /** `seq` of the messages whose changes are in the file, oldest first. */
  turns: number[];
}

/** Pending changes of a session, in the order of the agent's first changes. */
export interface ReviewSession {
  sessionId: string;
  files: FileReviewState[];
}

export interface ReviewPlace {
  path: string;
  /** Line number, from 0. */
  line: number;
}

/** Number of the current change, from 1 (0 if none), and the total number of changes. A file of level `file` is one change. */
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

/** Part of a file's changes to keep or undo. */
export interface HunkChoice {
  /** Absolute path. */
  path: string;
  /** Ids of hunks; null to select the whole file. */
  ids: readonly string[] | null;
  /** Lines of the current text to which the decision within one hunk is limited. */
  lines?: LineRange | undefined;
}

/** Outcome of an undo: undone files, and skipped files with the reason. `asked` means that the user chose to skip the file. */
export interface UndoOutcome {
  undone: string[];
  left: { shown: string; reason: string }[];
}

export type ChangesErrorCode = 'reviewGone' | 'hunkGone' | 'conflict' | 'noFolder';

/** Returns the reasons for skipped files, except the user's own choices. */
export function listSkipReasons({ left }: UndoOutcome): string[] {
  return left.map(({ reason }) => reason).filter((reason) => reason !== 'asked');
}

/** Thrown if pending changes cannot be kept or undone now. */
export class ChangesError extends AppError {
  constructor(
    readonly code: ChangesErrorCode,
    words: string | Phrase,
  ) {
    super(`${code}: ${typeof words === 'string' ? words : words.english}`, words);
  }
}
