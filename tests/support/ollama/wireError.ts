/** An error response that a handler throws before anything is sent. */
export class WireError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Errors from the generating goroutine lack the charset that handler errors have. */
    readonly contentType: 'application/json; charset=utf-8' | 'application/json' = 'application/json; charset=utf-8',
  ) {
    super(message);
    this.name = 'WireError';
  }
}

/** The client has disconnected, so no response is possible. */
export class ClientGone extends Error {
  constructor() {
    super('request canceled');
    this.name = 'ClientGone';
  }
}
