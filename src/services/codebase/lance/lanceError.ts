/** Says why LanceDB cannot be used: not installed, its process ended or did not answer, or it refused the work. */
export class LanceError extends Error {
  constructor(
    readonly code: 'missing' | 'ended' | 'late' | 'failed' | 'dimension',
    message: string,
  ) {
    super(message);
  }
}
