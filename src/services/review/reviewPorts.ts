import type { Event } from '../../utils/emitter';
import type { HunkEditor } from '../changes/hunkEditor';
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
