/**
 * Runs `steps` on `lanes` lanes. The first of the list whose needed steps have ended starts as soon as it has as many lanes as its `lanes` says
 * (1 unless said); no later one starts before it. A needed step that is not in the list counts as ended. Resolves to what `perform`
 * resolved to for each step, in the order of the list.
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
      // Else a wide step would wait for all narrow ones.
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
