/** Interface of the snapshot store, which `services/checkpoint` implements. */

/**
 * Kind of a checkpoint. `initial`: at the start of a session. `message`: before a user message. `imported`: imported, with
 * only some of the files. The others are before or after a command or restore, or manual.
 */
export type CheckpointKind =
  'initial' | 'message' | 'command_before' | 'command_after' | 'restore_before' | 'restore_after' | 'manual' | 'imported';

export function isAroundCommand(kind: CheckpointKind): boolean {
  return kind === 'command_before' || kind === 'command_after';
}

/** Command that has started, with a checkpoint before it. */
export interface BegunCommand {
  /**
   * Records that the command continues after its call until `ended` settles. Its changes are
   * reported at that time and when the run ends.
   */
  goesOn(ended: Promise<unknown>): void;
}

/**
 * Creates a checkpoint of the workspace before a command in an absolute folder. A sandboxed command runs
 * without a question, so all Git histories are saved.
 */
export type BeginCommand = (folder?: string, isSandboxed?: boolean) => Promise<BegunCommand>;

export const notFollowed: BegunCommand = { goesOn: () => undefined };

/** Contents by SHA-256 (64 lower-case hexadecimal digits). Each content is stored once for all sessions. */
export interface SnapshotObjects {
  /**
   * Stores contents durably and returns their hashes in the same order. To keep a content, reference it from a row within an
   * hour (docs/storage/snapshots.md, *References*). Until then, it is not garbage-collected. Throws `AppError`.
   */
  put(contents: readonly Uint8Array[]): Promise<string[]>;
  /** Returns the verified content. Throws a `SnapshotError` with the code `missing` or `damaged`. */
  get(hash: string): Promise<Uint8Array>;
}
