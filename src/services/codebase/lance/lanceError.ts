/** Reason why LanceDB cannot be used: not installed, process ended, no answer in time, or failed request. */
export class LanceError extends Error {
  constructor(
    readonly code: 'missing' | 'ended' | 'late' | 'failed' | 'dimension',
    message: string,
  ) {
    super(message);
  }
}
