import type { IncomingMessage } from 'node:http';
import { ApiError } from './apiError';
import { isSameToken } from './apiToken';

/** Limits for requests with a valid token, for all clients together: requests per second, and maximum burst. */
const rate = 200;
const burst = 400;

/** Authenticates requests before their body is read. */
export class Gate {
  private room = burst;
  private filledAt: number;
  readonly #token: string;

  constructor(
    token: string,
    private readonly port: () => number,
    private readonly now: () => number,
  ) {
    this.#token = token;
    this.filledAt = now();
  }

  /** Throws `FORBIDDEN`, `UNAUTHORIZED` or `TOO_MANY`. */
  check(request: Pick<IncomingMessage, 'headers' | 'url'>): void {
    const { host, origin, authorization } = request.headers;
    // Reject requests from web pages, including DNS rebinding.
    if (!this.hosts().includes((host ?? '').toLowerCase()))
      throw new ApiError('FORBIDDEN', 'The Host header is not an address of this API');
    if (origin !== undefined) throw new ApiError('FORBIDDEN', 'Requests from web pages are not allowed');
    const [, given = ''] = /^Bearer ([\w-]{1,200})$/i.exec(authorization ?? '') ?? [];
    if (!isSameToken(given, this.#token)) throw new ApiError('UNAUTHORIZED', 'The token is missing or wrong');
    // Count the request last, so that requests without the token do not use up the limit.
    this.take();
  }

  private hosts(): string[] {
    const port = this.port();
    return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  }

  private take(): void {
    const now = this.now();
    this.room = Math.min(burst, this.room + ((now - this.filledAt) * rate) / 1000);
    this.filledAt = now;
    if (this.room < 1) throw new ApiError('TOO_MANY', 'Too many requests; try again in a second');
    this.room -= 1;
  }
}
