import type { Event } from '../../utils/emitter';
import type { TextChange } from '../../utils/text/textChanges';
import type { ReviewPlace } from './reviewTypes';

export type { TextChange };

/** Changes of one event: in the order of the editor (the last place first), so that none moves another that follows. */
export interface TextChanged {
  path: string;
  changes: readonly TextChange[];
  /** Version of the text after them. */
  version: number;
  reason: 'undo' | 'redo' | 'other';
}

/** A text document as the editor has it at this moment. Line ends may be of any kind. */
export interface ReviewDocument {
  readonly text: string;
  readonly version: number;
  readonly isDirty: boolean;
}

/** Declares what undoing hunks needs of an editor. Paths are real ones. */
export interface HunkEditor {
  /** Returns undefined where the file is not open as text. */
  document(path: string): ReviewDocument | undefined;
  /**
   * Makes the changes in one step, in a visible editor as one that `Ctrl+Z` takes back; saves the document if it was clean. False, with nothing
   * changed, where the document has another version by now or the editor refuses.
   */
  edit(path: string, version: number, changes: readonly TextChange[]): Promise<boolean>;
}

/** Holds what only an editor knows and can do. Paths are real ones. */
export interface ReviewEditor extends HunkEditor {
  /** The files in the visible text editors, the active one first. */
  visible(): string[];
  /** Tells where the cursor of the active text editor is. */
  cursor(): ReviewPlace | undefined;
  /** Opens the file at a line; only ever called for a person's own key or click. */
  show(place: ReviewPlace): Promise<void>;
  readonly onDidChangeText: Event<TextChanged>;
  /** The cursor is elsewhere, or another editor is active. */
  readonly onDidMoveCursor: Event<ReviewPlace | undefined>;
}

/** Questions that only a person can answer; each is asked in the editor, over everything. */
export interface ReviewQuestions {
  /** Asks whether to replace a file that has been changed since by an earlier state; shows what would be lost. */
  replace(question: ReplaceQuestion): Promise<boolean>;
  /** Asks whether to delete a file that the agent created and somebody has changed since. */
  remove(shown: string): Promise<boolean>;
  /** Opens a merge of texts that contradict each other where the editor can; false where it cannot. */
  merge(conflict: MergeConflict): Promise<boolean>;
}

export interface ReplaceQuestion {
  path: string;
  shown: string;
  why: 'undo' | 'revert';
  /** Text that would replace it; undefined if it is not text or there would be no file. */
  text: string | undefined;
}

/** `base` is what the agent left; `now` the file as it is; `before` what it was before the agent. */
export interface MergeConflict {
  path: string;
  shown: string;
  base: string;
  now: string;
  before: string;
}
