/**
 * 1 a file · 2 a link, its object is the target · 3 could not be read, or with the flag `nameOnly` was left out by the rules. A folder of that kind
 * stands for all that is in it.
 */
export type FileKind = 1 | 2 | 3;

/** Bits of `manifest_entries.flags`. */
export const fileFlags = { kept: 1, unstable: 2, nameOnly: 4, spared: 8 } as const;

/** A file as a manifest has it. */
export interface FileState {
  kind: FileKind;
  /** Permission bits; 0 for links. */
  mode: number;
  /** Null for what could not be read. */
  hash: string | null;
  size: number;
  flags: number;
}

/** Reason why something is not in a checkpoint, or not as it should be. */
export type ScanReason = 'unreadable' | 'tooLarge' | 'unstable' | 'name' | 'storage';

export interface ScanProblem {
  /** Path from the workspace folder, with `/`; for a `name` that is not UTF-8, its displayable form. */
  path: string;
  reason: ScanReason;
}

/** Flags that make another state of a file. */
const lasting = fileFlags.kept | fileFlags.nameOnly;

/** State of a file or folder that was left out: only its name is known. */
export const nameOnly: FileState = { kind: 3, mode: 0, hash: null, size: 0, flags: fileFlags.nameOnly };

/** Tells whether a state is that of a file or folder that was left out. */
export function isNameOnly(state: FileState | null | undefined): boolean {
  return ((state?.flags ?? 0) & fileFlags.nameOnly) !== 0;
}

/** Returns the state unless only the name is known. */
export function takenOf<T extends FileState>(state: T | null | undefined): T | null {
  return state === undefined || isNameOnly(state) ? null : state;
}

export function isSameState(one: FileState, other: FileState): boolean {
  return (
    one.kind === other.kind &&
    one.mode === other.mode &&
    one.hash === other.hash &&
    (one.flags & lasting) === (other.flags & lasting)
  );
}

/** Tells whether two states are the same, whatever the flags. */
export function isSameContent(one: FileState | null, other: FileState | null): boolean {
  if (one === null || other === null) return one === other;
  return isSameState({ ...one, flags: 0 }, { ...other, flags: 0 });
}

/** Returns the fields that are compared, without those that the scanner keeps beside them. */
export function plain(state: FileState | null): FileState | null {
  if (state === null) return null;
  const { kind, mode, hash, size, flags } = state;
  return { kind, mode, hash, size, flags };
}
