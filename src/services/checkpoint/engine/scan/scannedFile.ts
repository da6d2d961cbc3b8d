/**
 * Kind of a path. 1: file. 2: link, with its target as content. 3: unreadable, or excluded
 * by the rules (flag `nameOnly`). An excluded folder represents everything in it.
 */
export type FileKind = 1 | 2 | 3;

export const fileFlags = { kept: 1, unstable: 2, nameOnly: 4, spared: 8 } as const;

/** State of a file in a manifest. */
export interface FileState {
  kind: FileKind;
  /** Permission bits; 0 for links. */
  mode: number;
  /** Null if the file could not be read. */
  hash: string | null;
  size: number;
  flags: number;
}

/** Reason why a checkpoint does not store a path reliably. */
export type ScanReason = 'unreadable' | 'tooLarge' | 'unstable' | 'name' | 'storage';

export interface ScanProblem {
  /** Path relative to the workspace folder, with `/`. For reason `name` (not UTF-8), a form of it that can be displayed. */
  path: string;
  reason: ScanReason;
}

/** Flags that distinguish two states. */
const lasting = fileFlags.kept | fileFlags.nameOnly;

/** State of an excluded file or folder. */
export const nameOnly: FileState = { kind: 3, mode: 0, hash: null, size: 0, flags: fileFlags.nameOnly };

export function isNameOnly(state: FileState | null | undefined): boolean {
  return ((state?.flags ?? 0) & fileFlags.nameOnly) !== 0;
}

/** Returns the state. Returns null if only the name is known. */
export function takenState<T extends FileState>(state: T | null | undefined): T | null {
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

/** Returns true if two states are equal, ignoring their flags. */
export function isSameContent(one: FileState | null, other: FileState | null): boolean {
  if (one === null || other === null) return one === other;
  return isSameState({ ...one, flags: 0 }, { ...other, flags: 0 });
}

/** Returns a state without the fields that the scanner adds. */
export function plain(state: FileState | null): FileState | null {
  if (state === null) return null;
  const { kind, mode, hash, size, flags } = state;
  return { kind, mode, hash, size, flags };
}
