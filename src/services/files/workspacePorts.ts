/** The folders of a workspace and what an editor holds of their files. */

export interface WorkspaceFolder {
  name: string;
  /** Real path. */
  path: string;
}

export interface WorkspacePort {
  folders(): WorkspaceFolder[];
  isTrusted(): boolean;
  /** Shell that commands are written for, in words for a model: `zsh on macOS`. Always the same in a window. */
  commandShell(): string;
}

/** Returns the folders that may be written to: none where the workspace is not trusted. */
export function trustedFolders(workspace: WorkspacePort): WorkspaceFolder[] {
  return workspace.isTrusted() ? workspace.folders() : [];
}

/** A text file as an editor has it; `text` and `isDirty` are those of the moment it was asked for. */
export interface OpenDocument {
  readonly text: string;
  /** True if it holds changes that are not on the disk. */
  readonly isDirty: boolean;
  /** Returns the bytes that saving `text` would write. */
  bytes(): Promise<Buffer>;
  /**
   * Puts another text in the place of `text` and saves it. False, with nothing changed, when the editor holds something else by
   * now. Rejects with a `FileError` when it cannot be saved; the editor then holds again what it held.
   */
  replace(text: string): Promise<boolean>;
}

/** Files that are open in the editor, by their real paths. */
export interface OpenFiles {
  get(path: string): OpenDocument | undefined;
  /** Tells whether something other than a text editor (a notebook, a custom editor) holds unsaved changes of a file. */
  isHeld(path: string): boolean;
  /** Moves a file together with its editors. The new path must be free. */
  rename(from: string, to: string): Promise<void>;
}
