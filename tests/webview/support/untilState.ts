import limits from '../../limits.json';

/** Options of `vi.waitFor` and `vi.waitUntil`: the limit for a state to appear ends what hangs. */
export const untilState = { timeout: limits.stateMinutes * 60_000, interval: 10 };
