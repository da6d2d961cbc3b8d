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

const countNames = [
  ...['requests', 'saved', 'shown', 'accepted', 'acceptedChars', 'answers', 'waitedMs'],
  ...['judged30', 'retained30', 'judged300', 'retained300'],
] as readonly (keyof CompletionCounts)[];

/** Returns the counts that are in a value; what is no number counts as none. */
export function countsFrom(value: Readonly<Record<string, unknown>>): CompletionCounts {
  const numberOf = (name: keyof CompletionCounts) => (typeof value[name] === 'number' ? value[name] : 0);
  return Object.fromEntries(countNames.map((name) => [name, numberOf(name)])) as unknown as CompletionCounts;
}

export function sumOf(one: CompletionCounts, other: CompletionCounts): CompletionCounts {
  const sum = { ...one };
  for (const name of countNames) sum[name] += other[name];
  return sum;
}
