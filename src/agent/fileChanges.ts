/**
 * The one door through which tools change files. What stands in an editor goes before what is on the disk; nothing is
 * changed before `beforeTouch` has resolved.
 */

/** A file that is about to change. */
export interface FileTouch {
  sessionId: string;
  /** The tool call that changes it. */
  callId: string;
  /** Absolute, free of symbolic links. */
  path: string;
  /** As entries carry it: workspace-relative with `/`, the folder's name first where there are several; absolute outside. */
  shown: string;
  /** A rename touches both its ends: the old one has content, the new one has none. */
  operation: 'create' | 'modify' | 'delete' | 'rename';
  /**
   * The file as it is, byte for byte, or, where an editor holds unsaved text, as it would be if that were saved. Null where
   * there is no file yet.
   */
  before: Buffer | null;
  /** Permission bits (`0o644`); null where there is no file yet. */
  mode: number | null;
}

/** Keeps what files were before a tool changes them. */
export interface TouchListener {
  /** Awaited before the first byte changes. When it rejects, nothing is changed and the call fails with that error. */
  beforeTouch(touch: FileTouch): Promise<void>;
}

export const noTouchListener: TouchListener = { beforeTouch: async () => undefined };
