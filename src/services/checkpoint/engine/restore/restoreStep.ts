import type { KeepReason, StepLoss } from '../../../../protocol/restore';
import type { FileState } from '../scan/scannedFile';

/** Plan for one file. */
export interface RestoreStep {
  rootId: number;
  /** Absolute path of the workspace folder. */
  root: string;
  /** Path from the workspace folder, with `/`. */
  path: string;
  /** `conflict`: left alone unless it is asked for. */
  action: 'create' | 'write' | 'delete' | 'keep' | 'conflict';
  /** Reason of `keep` and `conflict`. */
  reason: KeepReason | null;
  from: FileState | null;
  to: FileState | null;
  /** Missing where there is nothing to be told. */
  loses?: StepLoss[];
}
