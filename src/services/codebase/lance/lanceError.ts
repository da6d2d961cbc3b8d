/** LanceDB cannot be used: it is not installed, its process exited, it did not respond in time, or a request failed. */
export class LanceError extends Error {
  constructor(
    readonly code: 'missing' | 'ended' | 'late' | 'failed' | 'dimension',
    message: string,
  ) {
    super(message);
  }
}
