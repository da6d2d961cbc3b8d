import type { KeepReason, StepLoss } from '../../../../protocol/restore';
import type { FileState } from '../scan/scannedFile';

/** Planned step for one file. */
export interface RestoreStep {
  rootId: number;
  /** Absolute path of the workspace folder. */
  root: string;
  /** Path relative to the workspace folder, with `/`. */
  path: string;
  /** Action of the step. A `conflict` is skipped unless the user chooses to overwrite. */
  action: 'create' | 'write' | 'delete' | 'keep' | 'conflict';
  /** Reason for `keep` and `conflict`. */
  reason: KeepReason | null;
  /** True for a conflict with the user's edits: the file's content is not from a chat, or an editor has unsaved changes. */
  isByHand?: true;
  from: FileState | null;
  to: FileState | null;
  /** Data that the step would lose; absent if nothing is lost. */
  loses?: StepLoss[];
}
