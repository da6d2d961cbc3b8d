/** An answer other than 200, thrown by a handler before anything was sent. */
export class WireError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Errors raised by the generating goroutine lack the charset that handler errors have. */
    readonly contentType: 'application/json; charset=utf-8' | 'application/json' = 'application/json; charset=utf-8',
  ) {
    super(message);
    this.name = 'WireError';
  }
}

/** The client has gone; nobody is left to answer. */
export class ClientGone extends Error {
  constructor() {
    super('request canceled');
    this.name = 'ClientGone';
  }
}
