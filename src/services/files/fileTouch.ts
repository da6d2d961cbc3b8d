export interface FileTouch {
  sessionId: string;
  callId: string;
  /** Absolute path without symbolic links. */
  path: string;
  /**
   * Path in log entries. It is relative to the workspace, with `/`. If there are several
   * folders, the folder's name comes first. Outside the workspace, it is absolute.
   */
  shown: string;
  /** Kind of change. A rename reports both paths: the old path with content, the new path without. */
  operation: 'create' | 'modify' | 'delete' | 'rename';
  /** Bytes of the file. For unsaved text, the bytes that saving would write. Null if the file is missing. */
  before: Buffer | null;
  /** Permission bits (`0o644`); null if the file is missing. */
  mode: number | null;
  /** Former `path`. Set for the new path of a rename. */
  movedFrom?: string;
}

/** Completed change. `before` is the content just before it, if the file was edited since `beforeTouch`. */
export type FinishedTouch = Pick<FileTouch, 'sessionId' | 'path' | 'mode'> & { after: Buffer | null; before?: Buffer };

/** Stores files before a tool changes them. */
export interface TouchListener {
  /** Awaited before the first byte changes. If it rejects, nothing changes and the call fails with the same error. */
  beforeTouch(touch: FileTouch): Promise<void>;
  /** Called with the new content (null after a deletion) and known permission bits. Never rejects, because the change is done. */
  afterTouch(touch: FinishedTouch): Promise<void>;
  /** Called if the change did not happen. Never rejects. */
  withdrawTouch(touch: Pick<FileTouch, 'sessionId' | 'path'>): Promise<void>;
  /** Called with the absolute paths of folders that were created for a file, before the file exists. Never rejects. */
  afterFolders(made: readonly string[]): Promise<void>;
}

export const noTouchListener: TouchListener = {
  beforeTouch: () => Promise.resolve(),
  afterTouch: () => Promise.resolve(),
  withdrawTouch: () => Promise.resolve(),
  afterFolders: () => Promise.resolve(),
};

/** Tool call that changes a file. */
export interface ChangeOrigin {
  readonly sessionId: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Called just before the first byte changes. Throws if the call was canceled. */
  readonly beginWriting: () => void;
}
