export interface FileTouch {
  sessionId: string;
  callId: string;
  /** Absolute path without symbolic links. */
  path: string;
  /** Path in log entries: workspace-relative with `/`, preceded by the folder's name if there are several; absolute outside. */
  shown: string;
  /** A rename reports both paths: the old one with content, the new one without. */
  operation: 'create' | 'modify' | 'delete' | 'rename';
  /** Bytes of the file, or of its unsaved text as saving would write it. Null for a missing file. */
  before: Buffer | null;
  /** Permission bits (`0o644`); null for a missing file. */
  mode: number | null;
  /** Former `path`, for the new path of a rename. */
  movedFrom?: string;
}

/** A change that is done. `before`: content just before it, if the file was edited since `beforeTouch`. */
export type FinishedTouch = Pick<FileTouch, 'sessionId' | 'path' | 'mode'> & { after: Buffer | null; before?: Buffer };

/** Stores files before a tool changes them. */
export interface TouchListener {
  /** Awaited before the first byte changes. If it rejects, nothing is changed and the call fails with that error. */
  beforeTouch(touch: FileTouch): Promise<void>;
  /** Called with the new content, and permission bits if known; null after a deletion. Never rejects, because the change is done. */
  afterTouch(touch: FinishedTouch): Promise<void>;
  /** Called if nothing was changed after all. Never rejects. */
  withdrawTouch(touch: Pick<FileTouch, 'sessionId' | 'path'>): Promise<void>;
  /** Called with folders (absolute) created for a file, before the file exists. Never rejects. */
  afterFolders(made: readonly string[]): Promise<void>;
}

export const noTouchListener: TouchListener = {
  beforeTouch: () => Promise.resolve(),
  afterTouch: () => Promise.resolve(),
  withdrawTouch: () => Promise.resolve(),
  afterFolders: () => Promise.resolve(),
};

/** The tool call that changes a file. */
export interface ChangeOrigin {
  readonly sessionId: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Called just before the first byte changes. Throws if the call was cancelled. */
  readonly beginWriting: () => void;
}
