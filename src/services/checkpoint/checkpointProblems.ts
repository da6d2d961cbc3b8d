import type { ScanReason } from './engine/scan/scannedFile';

export interface CheckpointProblem {
  /** Absolute path of the workspace folder. */
  root: string;
  path: string;
  reason: ScanReason;
}

export interface ProblemCounts {
  /** All of them. */
  count: number;
  /** Number of those that the checkpoint holds, though perhaps not as they were at any one moment. */
  unstableCount: number;
}

/** Files that a checkpoint does not hold, or not for certain: their number, and the first of them. */
export interface CheckpointProblems extends ProblemCounts {
  first: CheckpointProblem[];
}

/** Columns of `checkpoints` for `problemCountsOf`: of very many checkpoints, each with its many files, nothing but numbers is read. */
export const problemCounts = `json_array_length(problems) AS problem_count,
  (SELECT count(*) FROM json_each(problems) WHERE value ->> 'reason' = 'unstable') AS unstable_count`;

/** Columns like `problemCounts`, for `problemsOf`; the number of named files is a parameter. */
export const problemsWithFirst = `${problemCounts},
  (SELECT json_group_array(json(value)) FROM (SELECT value FROM json_each(problems) LIMIT ?)) AS first_problems`;

export function problemCountsOf(row: Record<string, unknown>): ProblemCounts {
  return { count: Number(row.problem_count), unstableCount: Number(row.unstable_count) };
}

export function problemsOf(row: Record<string, unknown>): CheckpointProblems {
  return { ...problemCountsOf(row), first: JSON.parse(String(row.first_problems)) as CheckpointProblem[] };
}
