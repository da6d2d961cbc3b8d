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
  /** Returns the bytes that saving `text` would write. */
  bytes(): Promise<Buffer>;
  /**
   * Replaces `text` and saves the document. Resolves with false and changes nothing if the editor has another text. Rejects with
   * `FileError` if saving fails; the editor then has its previous text again.
   */
  replace(text: string): Promise<boolean>;
}

/** Files open in the editor, by real path. */
export interface OpenFiles {
  get(path: string): OpenDocument | undefined;
  /** Returns true if an editor other than a text editor (notebook, custom editor) has unsaved changes of a file. */
  isHeld(path: string): boolean;
  /** Moves a file and its editors. The new path must be free. */
  rename(from: string, to: string): Promise<void>;
}
