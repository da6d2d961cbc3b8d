/**
 * Runs `steps` on `lanes` lanes, in the order of the list: each step starts once the steps that it `needs` have ended and as many lanes
 * are free as its `lanes` says (1 unless said). A needed step that is not in the list counts as ended. Resolves to what `perform` resolved to for each step, in the
 * order of the list.
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
      const isReady = (step.needs ?? []).every(isOver);
      if (!isReady || lanesOf(step) > free) continue;
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
