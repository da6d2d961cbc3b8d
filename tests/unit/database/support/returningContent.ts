/** What the files of two windows hold in turn: each comes again a few rounds after nothing refers to it any more. Nothing packs it smaller. */
export function returningContent(round: number): Buffer {
  let state = (round % 8) + 1;
  return Buffer.from(
    Array.from({ length: 40_000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}
