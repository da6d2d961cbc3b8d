/** Counts of one day and model. */
export interface CompletionCounts {
  /** Requests to the server that asked for a suggestion, those ahead not among them. */
  requests: number;
  /** Questions of the editor that were answered without a request. */
  saved: number;
  shown: number;
  accepted: number;
  acceptedChars: number;
  /** Characters accepted that were looked at again after 30 s and after 5 min, and how many of them were still there. */
  judged30: number;
  retained30: number;
  judged300: number;
  retained300: number;
  /** Answers whose time was taken, and the milliseconds of all of them. */
  answers: number;
  waitedMs: number;
}

const none: CompletionCounts = {
  ...{ requests: 0, saved: 0, shown: 0, accepted: 0, acceptedChars: 0, answers: 0, waitedMs: 0 },
  ...{ judged30: 0, retained30: 0, judged300: 0, retained300: 0 },
};
const countNames = Object.keys(none) as (keyof CompletionCounts)[];

/** Returns the counts that are in a value; what is no number counts as none. */
export function countsFrom(value: Readonly<Record<string, unknown>>): CompletionCounts {
  const counts = { ...none };
  for (const name of countNames) if (typeof value[name] === 'number') counts[name] = value[name];
  return counts;
}

export function sumOf(one: CompletionCounts, other: CompletionCounts): CompletionCounts {
  const sum = { ...one };
  for (const name of countNames) sum[name] += other[name];
  return sum;
}
