import type { IncomingMessage } from 'node:http';
import { ApiError } from './apiError';
import { isSameToken } from './apiToken';

/** Requests a second with the right token, of all clients together, and how many may come at once. */
const rate = 200;
const burst = 400;

/** Decides who is let in at all, before anything of a request is read. */
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
    // A page of a browser, also one whose name was made to point here.
    if (!this.hosts().includes((host ?? '').toLowerCase())) throw new ApiError('FORBIDDEN', 'This address is not served');
    if (origin !== undefined) throw new ApiError('FORBIDDEN', 'Pages of a browser are not served');
    const [, given = ''] = /^Bearer ([\w-]{1,200})$/i.exec(authorization ?? '') ?? [];
    if (!isSameToken(given, this.#token)) throw new ApiError('UNAUTHORIZED', 'The token is missing or wrong');
    // Counted last: without the token nobody can use up what others need.
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
