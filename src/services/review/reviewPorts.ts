import type { Event } from '../../utils/emitter';
import type { UndoOutcome } from '../changes/fileUndo';
import type { HunkChoice } from '../changes/hunkChoice';
import type { ReviewPlace } from './reviewTypes';

/** What was replaced in a text, in the coordinates of the text before it; lines and characters from 0. */
export interface TextChange {
  startLine: number;
  startCharacter: number;
  endLine: number;
  endCharacter: number;
  text: string;
}

/** Changes of one event: in the order of the editor (the last place first), so that none moves another that follows. */
export interface TextChanged {
  path: string;
  changes: readonly TextChange[];
  /** Of the text after them. */
  version: number;
  reason: 'undo' | 'redo' | 'other';
}

/** A text document as the editor has it at this moment. Line ends may be of any kind. */
export interface ReviewDocument {
  readonly text: string;
  readonly version: number;
  readonly isDirty: boolean;
}

/** What only an editor knows and can do. Paths are real ones. */
export interface ReviewEditor {
  /** Undefined where the file is not open as text. */
  document(path: string): ReviewDocument | undefined;
  /** The files in the visible text editors, the active one first. */
  visible(): string[];
  /** Where the cursor of the active text editor is. */
  cursor(): ReviewPlace | undefined;
  /**
   * Makes the changes in one step, in a visible editor as one that `Ctrl+Z` takes back; saves the document if it was clean. False, with nothing
   * changed, where the document has another version by now or the editor refuses.
   */
  edit(path: string, version: number, changes: readonly TextChange[]): Promise<boolean>;
  /** Opens the file at a line; only ever called for a person's own key or click. */
  show(place: ReviewPlace): Promise<void>;
  readonly onDidChangeText: Event<TextChanged>;
  /** The cursor is elsewhere, or another editor is active. */
  readonly onDidMoveCursor: Event<ReviewPlace | undefined>;
}

/** Answers hunks: each call is one entry of the log, and is taken back as one with `PendingChanges.takeBack`. */
export interface HunkAnswering {
  /** Throws `ChangesError` `hunkGone`, with nothing answered, where one of them does not stand any more. */
  keepHunks(sessionId: string, choices: readonly HunkChoice[]): Promise<void>;
  /** As `keepHunks`; a file that is open is changed in the editor. */
  undoHunks(
    sessionId: string,
    choices: readonly HunkChoice[],
    editor: Pick<ReviewEditor, 'document' | 'edit'>,
  ): Promise<UndoOutcome>;
}
