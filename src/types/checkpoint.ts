/** Declares what the rest of the product sees of the snapshot store; `services/checkpoint` implements it. */

/**
 * `initial` at the start of a session · `message` before a user message · `imported` from elsewhere, of some files only · the others around a
 * command, around a restore, by hand.
 */
export type CheckpointKind =
  'initial' | 'message' | 'command_before' | 'command_after' | 'restore_before' | 'restore_after' | 'manual' | 'imported';

export function isAroundCommand(kind: CheckpointKind): boolean {
  return kind === 'command_before' || kind === 'command_after';
}

/** A command that has begun. */
export interface BegunCommand {
  /**
   * Notes that the command goes on after its call, until `ended` settles: its changes are reported then, and when the
   * run is over.
   */
  goesOn(ended: Promise<unknown>): void;
}

export const notFollowed: BegunCommand = { goesOn: () => undefined };

/** Contents by their SHA-256 (64 lower-case hex digits), each stored once for all sessions. */
export interface SnapshotObjects {
  /**
   * Stores contents and returns their hashes in the same order, when they are durable. Whoever wants to keep one refers to it from a row
   * within
   * the hour (docs/storage-format.md, *References*); until then nothing collects it. Throws `AppError`.
   */
  put(contents: readonly Uint8Array[]): Promise<string[]>;
  /** Returns the content, verified. Throws `SnapshotError` `missing` or `damaged`. */
  get(hash: string): Promise<Uint8Array>;
}
