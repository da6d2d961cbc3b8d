import { readFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';

/** Factor by which a step may exceed its budget; on a slow or busy machine, the steps differ more. */
const [tolerance, slowTolerance] = [1.2, 1.4];
/** With fewer steps of this many seconds, what most of them need says nothing about the machine. */
const [enoughSteps, longSeconds] = [5, 20];

/** Processor seconds that each step may take, by its name. A suite that needs more has to save them elsewhere. */
export const budget = JSON.parse(readFileSync(inRoot('scripts', 'budget.json'), 'utf8'));

/**
 * Returns a sentence for each step that took more processor time than its budget and the tolerance allow. On a machine that is slower, or
 * busy, all steps take more: the median of the long steps is what a second of the budget takes there, and never less than a second. A step
 * with a second try ran some of its files twice, so that its time says nothing.
 */
export function overBudget(results) {
  const ratios = results
    .filter(({ name, cpuSeconds }) => budget[name] >= longSeconds && cpuSeconds !== undefined)
    .map(({ name, cpuSeconds }) => cpuSeconds / budget[name])
    .sort((one, other) => one - other);
  const second = ratios.length < enoughSteps ? 1 : Math.max(1, ratios[Math.floor(ratios.length / 2)]);
  const factor = second * (second > tolerance ? slowTolerance : tolerance);
  return results
    .filter(({ counts }) => (counts?.flaky ?? []).length === 0)
    .filter(({ name, cpuSeconds = 0 }) => cpuSeconds > (budget[name] ?? Infinity) * factor)
    .map(
      ({ name, cpuSeconds }) =>
        `over budget: ${name} took ${cpuSeconds} s of processor time, ${Math.round(budget[name] * second)} are allowed (scripts/budget.json)`,
    );
}
