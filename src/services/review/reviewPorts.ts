import type { Event } from '../../utils/emitter';
import type { TextChange } from '../../utils/text/textChanges';
import type { ReviewPlace } from './reviewTypes';

export type { TextChange };

/** Changes of one event, from the last position to the first, so that no change moves the changes after it in the list. */
export interface TextChanged {
  path: string;
  changes: readonly TextChange[];
  /** Version of the text after the changes. */
  version: number;
  reason: 'undo' | 'redo' | 'other';
}

/** Snapshot of a text document in the editor. It may have any line endings. */
export interface ReviewDocument {
  readonly text: string;
  readonly version: number;
  readonly isDirty: boolean;
}

/** Functions of the editor for undoing hunks. Paths are real paths. */
export interface HunkEditor {
  /** Returns undefined if the file is not open as text. */
  document(path: string): ReviewDocument | undefined;
  /**
   * Applies the changes and saves the document if it had no unsaved changes. In a visible editor, one `Ctrl+Z` undoes them. If
   * the document has another version or the editor rejects the edit, resolves with false and changes nothing.
   */
  edit(path: string, version: number, changes: readonly TextChange[]): Promise<boolean>;
}

/** Functions of the editor for the review. Paths are real paths. */
export interface ReviewEditor extends HunkEditor {
  /** Returns the files in visible text editors, with the active one first. */
  visible(): string[];
  /** Returns the cursor position of the active text editor. */
  cursor(): ReviewPlace | undefined;
  /** Opens the file at a line. Called only after a key press or click. */
  show(place: ReviewPlace): Promise<void>;
  readonly onDidChangeText: Event<TextChanged>;
  /** Fires when the cursor moves or another editor becomes active. */
  readonly onDidMoveCursor: Event<ReviewPlace | undefined>;
}

/** Questions to the user in modal dialogs of the editor. */
export interface ReviewQuestions {
  /** Asks whether an earlier state may replace a file that has since changed. Shows the edits that would be lost. */
  replace(question: ReplaceQuestion): Promise<boolean>;
  /** Asks whether to delete a file that the agent created and others have changed. */
  remove(shown: string): Promise<boolean>;
  /** Opens a merge editor for conflicting texts. Resolves with false if this is not possible. */
  merge(conflict: MergeConflict): Promise<boolean>;
}

export interface ReplaceQuestion {
  path: string;
  shown: string;
  why: 'undo' | 'revert';
  /** Text after the replacement. Undefined if it is not text or the file would be deleted. */
  text: string | undefined;
}

/** Change that cannot be undone or reapplied without losing later edits to its lines. */
export interface MergeConflict {
  path: string;
  shown: string;
  why: 'undo' | 'revert';
  /** Text of the current file. */
  now: string;
  /** Text of the current file with the change undone or reapplied. Edits to the same lines are lost. All other edits remain. */
  before: string;
}
