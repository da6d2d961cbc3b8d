import type { ScanReason } from './scan/scannedFile';

export interface CheckpointProblem {
  /** Absolute path of the workspace folder. */
  root: string;
  path: string;
  reason: ScanReason;
}

export interface ProblemCounts {
  /** All of them. */
  count: number;
  /** Those among them that the checkpoint holds, though perhaps not as they were at any one moment. */
  unstableCount: number;
}

/** What a checkpoint does not hold, or not for certain: how many, and the first of them. */
export interface CheckpointProblems extends ProblemCounts {
  first: CheckpointProblem[];
}

export function countProblems(problems: readonly CheckpointProblem[]): ProblemCounts {
  return { count: problems.length, unstableCount: problems.filter(({ reason }) => reason === 'unstable').length };
}
