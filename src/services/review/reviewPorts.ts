import type { Event } from '../../utils/emitter';
import type { TextChange } from '../../utils/text/textChanges';
import type { ReviewPlace } from './reviewTypes';

export type { TextChange };

/** Changes of one event, last position first, so that none moves a following one. */
export interface TextChanged {
  path: string;
  changes: readonly TextChange[];
  /** Version of the text after the changes. */
  version: number;
  reason: 'undo' | 'redo' | 'other';
}

/** Snapshot of a text document in the editor, with any line endings. */
export interface ReviewDocument {
  readonly text: string;
  readonly version: number;
  readonly isDirty: boolean;
}

/** Editor functions for undoing hunks. Paths are real paths. */
export interface HunkEditor {
  /** Returns undefined if the file is not open as text. */
  document(path: string): ReviewDocument | undefined;
  /**
   * Applies the changes in one step that `Ctrl+Z` undoes in a visible editor, and saves the document if it had no unsaved changes. Resolves
   * with false and changes nothing if the document has another version or the editor refuses.
   */
  edit(path: string, version: number, changes: readonly TextChange[]): Promise<boolean>;
}

/** Editor functions for the review. Paths are real paths. */
export interface ReviewEditor extends HunkEditor {
  /** Returns the files in visible text editors, active first. */
  visible(): string[];
  /** Returns the cursor position of the active text editor. */
  cursor(): ReviewPlace | undefined;
  /** Opens the file at a line. Called only for a key press or click. */
  show(place: ReviewPlace): Promise<void>;
  readonly onDidChangeText: Event<TextChanged>;
  /** Fires when the cursor moves or another editor becomes active. */
  readonly onDidMoveCursor: Event<ReviewPlace | undefined>;
}

/** Questions to the user, asked in modal dialogs of the editor. */
export interface ReviewQuestions {
  /** Asks if a file that changed since may be replaced by an earlier state. Shows what would be lost. */
  replace(question: ReplaceQuestion): Promise<boolean>;
  /** Asks if a file that the agent created and others changed may be deleted. */
  remove(shown: string): Promise<boolean>;
  /** Opens a merge editor for conflicting texts. Resolves with false if that is not possible. */
  merge(conflict: MergeConflict): Promise<boolean>;
}

export interface ReplaceQuestion {
  path: string;
  shown: string;
  why: 'undo' | 'revert';
  /** Replacing text; undefined if it is not text or the file would be deleted. */
  text: string | undefined;
}

/** A change that cannot be undone, or reapplied, without losing edits of its lines. */
export interface MergeConflict {
  path: string;
  shown: string;
  why: 'undo' | 'revert';
  /** Current file. */
  now: string;
  /** The current file with the change undone or reapplied. Edits of the same lines are lost; all others stay. */
  before: string;
}
