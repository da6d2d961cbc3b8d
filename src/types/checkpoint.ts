/** Interface of the snapshot store, implemented by `services/checkpoint`. */

/**
 * `initial`: start of a session · `message`: before a user message · `imported`: imported, with some files only · others: before or after a
 * command or restore, or manual.
 */
export type CheckpointKind =
  'initial' | 'message' | 'command_before' | 'command_after' | 'restore_before' | 'restore_after' | 'manual' | 'imported';

export function isAroundCommand(kind: CheckpointKind): boolean {
  return kind === 'command_before' || kind === 'command_after';
}

/** Command with a checkpoint before it. */
export interface BegunCommand {
  /** Records that the command continues after its call until `ended` settles. Its changes are reported then, and when the run ends. */
  goesOn(ended: Promise<unknown>): void;
}

/** Preserves the workspace before a command in an absolute folder. A sandboxed one runs without a question, so all histories are kept. */
export type BeginCommand = (folder?: string, isSandboxed?: boolean) => Promise<BegunCommand>;

export const notFollowed: BegunCommand = { goesOn: () => undefined };

/** Contents by SHA-256 (64 lower-case hex digits), each stored once for all sessions. */
export interface SnapshotObjects {
  /**
   * Stores contents durably and returns their hashes in the same order. To keep a content, reference it from a row within an hour
   * (docs/storage/snapshots.md, *References*); until then it is not garbage-collected. Throws `AppError`.
   */
  put(contents: readonly Uint8Array[]): Promise<string[]>;
  /** Returns the verified content. Throws `SnapshotError` `missing` or `damaged`. */
  get(hash: string): Promise<Uint8Array>;
}
