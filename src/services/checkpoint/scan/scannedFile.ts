/** 1 a file · 2 a link, its object is the target · 3 could not be read; a folder of that kind stands for all that is in it. */
export type FileKind = 1 | 2 | 3;

/** As `manifest_entries.flags`. */
export const fileFlags = { kept: 1, unstable: 2 } as const;

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

/** Why something is not in a checkpoint, or not as it should be. */
export type ScanReason = 'unreadable' | 'tooLarge' | 'unstable' | 'name';

export interface ScanProblem {
  /** From the workspace folder, with `/`; of a `name` that is not UTF-8 what can be shown of it. */
  path: string;
  reason: ScanReason;
}

export function isSameState(one: FileState, other: FileState): boolean {
  return (
    one.kind === other.kind &&
    one.mode === other.mode &&
    one.hash === other.hash &&
    (one.flags & fileFlags.kept) === (other.flags & fileFlags.kept)
  );
}
