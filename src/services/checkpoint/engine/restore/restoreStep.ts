import type { KeepReason, StepLoss } from '../../../../protocol/restore';
import type { FileState } from '../scan/scannedFile';

/** Planned step for one file. */
export interface RestoreStep {
  rootId: number;
  /** Absolute path of the workspace folder. */
  root: string;
  /** Path from the workspace folder, with `/`. */
  path: string;
  /** `conflict`: skipped unless the user chooses to overwrite. */
  action: 'create' | 'write' | 'delete' | 'keep' | 'conflict';
  /** Reason for `keep` and `conflict`. */
  reason: KeepReason | null;
  /** True for a conflict with an edit of the user: the content of the file is not from a chat, or an editor has unsaved text. */
  isByHand?: true;
  from: FileState | null;
  to: FileState | null;
  /** Absent if nothing is lost. */
  loses?: StepLoss[];
}
