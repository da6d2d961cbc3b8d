import limits from '../../limits.json';

/** Options for `vi.waitFor` and `vi.waitUntil`, with the time limit until a state must appear. */
export const untilState = { timeout: limits.stateMinutes * 60_000, interval: 10 };
