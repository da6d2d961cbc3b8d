/** Counts for one day and one model. */
export interface CompletionCounts {
  /** Number of requests for suggestions, without speculative requests. */
  requests: number;
  /** Number of suggestions provided without a request. */
  saved: number;
  shown: number;
  accepted: number;
  acceptedChars: number;
  /** Number of accepted characters that were checked after 30 s and after 5 min, and number of characters that remained. */
  judged30: number;
  retained30: number;
  judged300: number;
  retained300: number;
  /** Number of timed responses, and their total time in milliseconds. */
  answers: number;
  waitedMs: number;
}

const none: CompletionCounts = {
  requests: 0,
  saved: 0,
  shown: 0,
  accepted: 0,
  acceptedChars: 0,
  answers: 0,
  waitedMs: 0,
  judged30: 0,
  retained30: 0,
  judged300: 0,
  retained300: 0,
};
const countNames = Object.keys(none) as (keyof CompletionCounts)[];

/** Reads the counts from a value. Values that are not numbers become 0. */
export function countsFrom(value: Readonly<Record<string, unknown>>): CompletionCounts {
  const counts = { ...none };
  for (const name of countNames) if (typeof value[name] === 'number') counts[name] = value[name];
  return counts;
}

export function addCounts(one: CompletionCounts, other: CompletionCounts): CompletionCounts {
  const sum = { ...one };
  for (const name of countNames) sum[name] += other[name];
  return sum;
}
