import type { TextChange } from '../../utils/text/textChanges';

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
