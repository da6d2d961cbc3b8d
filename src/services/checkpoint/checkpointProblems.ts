import type { ScanReason } from './engine/scan/scannedFile';

export interface CheckpointProblem {
  /** Absolute path of the workspace folder. */
  root: string;
  path: string;
  reason: ScanReason;
}

export interface ProblemCounts {
  count: number;
  /** Number of files that changed while they were read. Their stored content may mix two states. */
  unstableCount: number;
}

/** Number of files that a checkpoint does not store reliably, and the first of them. */
export interface CheckpointProblems extends ProblemCounts {
  first: CheckpointProblem[];
}

/** Columns of `checkpoints` for `countProblems`. SQL does the counting, so that the file names need not be read. */
export const problemCounts = `json_array_length(problems) AS problem_count,
  (SELECT count(*) FROM json_each(problems) WHERE value ->> 'reason' = 'unstable') AS unstable_count`;

/** Columns for `readProblems`. The parameter is the number of files to name. */
export const problemsWithFirst = `${problemCounts},
  (SELECT json_group_array(json(value)) FROM (SELECT value FROM json_each(problems) LIMIT ?)) AS first_problems`;

export function countProblems(row: Record<string, unknown>): ProblemCounts {
  return { count: Number(row.problem_count), unstableCount: Number(row.unstable_count) };
}

export function readProblems(row: Record<string, unknown>): CheckpointProblems {
  return { ...countProblems(row), first: JSON.parse(String(row.first_problems)) as CheckpointProblem[] };
}
