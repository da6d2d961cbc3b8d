import type { FileError } from './fileError';

/** Workspace folder. */
export interface WorkspaceFolder {
  name: string;
  /** Real path. */
  path: string;
}

export interface WorkspacePort {
  folders(): WorkspaceFolder[];
  isTrusted(): boolean;
  /** Returns the shell for commands, described for the model. Example: `zsh on macOS`. Constant per window. */
  commandShell(): string;
}

/** Returns the writable folders. There are none in an untrusted workspace. */
export function trustedFolders(workspace: WorkspacePort): WorkspaceFolder[] {
  return workspace.isTrusted() ? workspace.folders() : [];
}

/** Text file in an editor. `text` and `isDirty` are from the time of the request. */
export interface OpenDocument {
  readonly text: string;
  /** True if the document has unsaved changes. */
  readonly isDirty: boolean;
  /** Encoding with which the document was read and is saved. Uses the editor's names: `utf8`, `shiftjis`. */
  readonly encoding: string;
  /** Returns the first character that the encoding cannot represent. Returns undefined if the text can be saved without loss. */
  lacking(text: string): Promise<string | undefined>;
  /** Returns the bytes that saving a text would write. Default: the document's `text`. */
  bytes(text?: string): Promise<Buffer>;
  /**
   * Replaces the current text of the editor with one undo step, and saves the document. If `edit` returns null for this text,
   * resolves with null and changes nothing. If saving fails, undoes the edit and rejects with `FileError`. If the user has typed
   * in the edited lines in the meantime, resolves with the `problem` instead.
   */
  replace(edit: TextEdit): Promise<ReplacedText | null>;
}

/** Returns the new text for the current text of an editor. Returns null to change nothing. */
export type TextEdit = (now: string) => string | null;

/** Text of an editor just before and after an edit. `after` includes formatting on save, but not concurrent typing. */
export interface ReplacedText {
  before: string;
  after: string;
  /** Reason why the edit is in the editor but not on disk. */
  problem?: FileError;
}

/** Replaces the text of a document and saves it. If the editor now has another text, resolves with false and changes nothing. */
export async function replaceExactly(document: OpenDocument, text: string): Promise<boolean> {
  const replaced = await document.replace((now) => (now === document.text ? text : null));
  if (replaced?.problem) throw replaced.problem;
  return replaced !== null;
}

/** Files that are open in the editor, by real path. */
export interface OpenFiles {
  get(path: string): OpenDocument | undefined;
  /** Returns true if a notebook or custom editor has unsaved changes of a file. */
  isHeld(path: string): boolean;
  /** Moves a file together with its editors. The new path must not exist. */
  rename(from: string, to: string): Promise<void>;
}
