/** Returns incompressible content that occurs again every eight rounds, after it became garbage. */
export function returningContent(round: number): Buffer {
  let state = (round % 8) + 1;
  return Buffer.from(
    Array.from({ length: 40_000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}
