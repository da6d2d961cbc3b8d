/**
 * Runs `steps` on `lanes` lanes. The first step in the list whose needed steps have ended starts as soon as enough lanes are free: as many
 * as its `lanes` property says, 1 by default. No later step overtakes it. Needed steps that are not in the list count as ended. Resolves to
 * the results of `perform` in the order of the list.
 */
export async function schedule(steps, perform, lanes = 2) {
  const waiting = new Set(steps);
  const running = new Map();
  const results = new Map();
  const isOver = (name) => !steps.some((step) => step.name === name && !results.has(step));
  const lanesOf = (step) => Math.min(step.lanes ?? 1, lanes);
  let free = lanes;
  while (results.size < steps.length) {
    for (const step of waiting) {
      if (!(step.needs ?? []).every(isOver)) continue;
      // Otherwise a step with many lanes would wait for all steps with few lanes.
      if (lanesOf(step) > free) break;
      waiting.delete(step);
      free -= lanesOf(step);
      running.set(
        step,
        perform(step).then((result) => {
          results.set(step, result);
          running.delete(step);
          free += lanesOf(step);
        }),
      );
    }
    if (running.size === 0)
      throw new Error(`These steps wait for each other: ${[...waiting].map(({ name }) => name).join(', ')}.`);
    await Promise.race(running.values());
  }
  return steps.map((step) => results.get(step));
}
