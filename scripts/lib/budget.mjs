import { readFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';

/** Factor by which a step may exceed its budget: the same work takes more processor time on a busy machine. */
const tolerance = 1.2;

/** Processor seconds that each step may take, by its name. A suite that needs more has to save them elsewhere. */
export const budget = JSON.parse(readFileSync(inRoot('scripts', 'budget.json'), 'utf8'));

/** Returns a sentence for each step that took more processor time than its budget and the tolerance allow. */
export function overBudget(results) {
  return results
    .filter(({ name, cpuSeconds = 0 }) => cpuSeconds > (budget[name] ?? Infinity) * tolerance)
    .map(
      ({ name, cpuSeconds }) =>
        `over budget: ${name} took ${cpuSeconds} s of processor time, ${budget[name]} are allowed (scripts/budget.json)`,
    );
}
