import { FileError } from '../../services/files/fileError';
import type { ReplacedText, TextEdit } from '../../services/files/workspacePorts';
import type { Clock } from '../../utils/clock';
import { t, type Phrase } from '../../utils/l10n';
import { rebasedText } from '../../utils/text/rebasedText';
import { plainLineEnds } from '../../utils/text/textFile';
import { saveDocument, type SavableDocument } from './saveDocument';

/** Maximum number of attempts to apply an edit while the user types. */
const maxTries = 20;
/** Time between a failed attempt and the next one, in milliseconds. */
const pause = 25;

/** Document in the extension host. Its text can lack the last characters that the user typed in the editor. */
export interface EditableDocument extends SavableDocument {
  getText(): string;
  readonly isClosed: boolean;
  readonly lineEnd: '\n' | '\r\n';
  /**
   * Changes the text from `before` to `after` as one undo step. If the editor has a different text, changes nothing and resolves
   * with false.
   */
  apply(before: string, after: string): Promise<boolean>;
  onChange(listener: (change: DocumentChange) => void): { dispose(): void };
  /** Returns the text of the file on disk, or undefined if it cannot be read. */
  textOnDisk(): Promise<string | undefined>;
}

interface DocumentChange {
  /** Text after the change. */
  text: string;
  /** True for a change by the user. False for a change by a program, such as a formatter. */
  isTyped: boolean;
}

/** Edits a document and saves it. See `OpenDocument.replace`. */
export async function editDocument(
  document: EditableDocument,
  edit: TextEdit,
  clock: Pick<Clock, 'sleep'>,
): Promise<ReplacedText | null> {
  const changes: DocumentChange[] = [];
  const watch = document.onChange((change) => changes.push(change));
  try {
    const placed = await place(document, edit, clock, changes);
    if (placed === null) return null;
    const { before, after } = placed;
    // A formatter or the user may have changed the text before the save and after it.
    const isOnDisk = async () => {
      const saved = await document.textOnDisk();
      return saved === after || changes.some(({ text }) => text === saved);
    };
    const isSaved = await saveDocument(document, isOnDisk, clock);
    const written = { before, after: withoutTyping(after, before === after ? changes : changes.slice(1)) };
    if (isSaved) return written;
    // Keep the text that the user typed during the save.
    if (await place(document, (now) => rebasedText(after, before, now), clock, [])) throw new FileError('notSaved', reverted());
    return { ...written, problem: new FileError('unsaved', unsaved()) };
  } finally {
    watch.dispose();
  }
}

/**
 * Applies an edit to the text in the editor. On success, `changes` contains the edit and all later
 * changes. Returns null if `edit` returns null.
 */
async function place(
  document: EditableDocument,
  edit: TextEdit,
  clock: Pick<Clock, 'sleep'>,
  changes: DocumentChange[],
): Promise<ReplacedText | null> {
  for (let tries = 1; tries <= maxTries && !document.isClosed; tries += 1) {
    const before = document.getText();
    const wanted = edit(before);
    if (wanted === null) return null;
    const after = plainLineEnds(wanted).replaceAll('\n', document.lineEnd);
    changes.length = 0;
    if (after === before || (await document.apply(before, after))) return { before, after };
    await clock.sleep(pause);
  }
  return null;
}

/** Returns a text with later changes by programs, such as formatting on save. Omits changes by the user. */
function withoutTyping(text: string, changes: readonly DocumentChange[]): string {
  let result = text;
  let seen = text;
  for (const change of changes) {
    if (!change.isTyped) result = rebasedText(seen, change.text, result) ?? result;
    seen = change.text;
  }
  return result;
}

function reverted(): Phrase {
  return {
    local: t(
      'Could not save the file, so the edit was reverted. The file may have changed on disk. Save or revert it in its editor, then try again.',
    ),
    english:
      'Could not save the file, so the edit was reverted. The file may have changed on disk: ask the user to save or revert it in its editor.',
  };
}

function unsaved(): Phrase {
  return {
    local: t(
      'Could not save the file. Its editor contains the edit and everything typed since then. Save the file, then try again.',
    ),
    english: 'Could not save the file. Its editor holds the edit and what the user has typed since: ask the user to save it.',
  };
}
