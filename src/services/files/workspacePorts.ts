import type { FileError } from './fileError';

/** A workspace folder. */
export interface WorkspaceFolder {
  name: string;
  /** Real path. */
  path: string;
}

export interface WorkspacePort {
  folders(): WorkspaceFolder[];
  isTrusted(): boolean;
  /** Returns the shell for commands, described for the model: `zsh on macOS`. Constant per window. */
  commandShell(): string;
}

/** Returns the writable folders; none in an untrusted workspace. */
export function trustedFolders(workspace: WorkspacePort): WorkspaceFolder[] {
  return workspace.isTrusted() ? workspace.folders() : [];
}

/** A text file in an editor. `text` and `isDirty` are from the time of the request. */
export interface OpenDocument {
  readonly text: string;
  /** True if it has unsaved changes. */
  readonly isDirty: boolean;
  /** Encoding in which it was read and is saved, as the editor names it: `utf8`, `shiftjis`. */
  readonly encoding: string;
  /** Returns the first character of a text that the encoding lacks; undefined if it can be saved without loss. */
  lacking(text: string): Promise<string | undefined>;
  /** Returns the bytes that saving a text would write, by default `text`. */
  bytes(text?: string): Promise<Buffer>;
  /**
   * Replaces the text that the editor has at that moment, as one step of its undo, and saves the document. Resolves with null and changes
   * nothing if `edit` returns null for that text. Rejects with `FileError` if saving fails; the edit is then undone, unless the person has typed
   * in its lines: then it resolves with the `problem`.
   */
  replace(edit: TextEdit): Promise<ReplacedText | null>;
}

/** Returns the new text for the text of an editor; null to leave it. */
export type TextEdit = (now: string) => string | null;

/** Text of an editor just before an edit, and after it with formatting on save, but without what a person typed meanwhile. */
export interface ReplacedText {
  before: string;
  after: string;
  /** Reason why the editor has the edit but the disk does not. */
  problem?: FileError;
}

/** Replaces the text of a document and saves it. Resolves with false and changes nothing if the editor has another text now. */
export async function replaceExactly(document: OpenDocument, text: string): Promise<boolean> {
  const replaced = await document.replace((now) => (now === document.text ? text : null));
  if (replaced?.problem) throw replaced.problem;
  return replaced !== null;
}

/** Files open in the editor, by real path. */
export interface OpenFiles {
  get(path: string): OpenDocument | undefined;
  /** Returns true if an editor other than a text editor (notebook, custom editor) has unsaved changes of a file. */
  isHeld(path: string): boolean;
  /** Moves a file and its editors. The new path must be free. */
  rename(from: string, to: string): Promise<void>;
}
