import { network, type Reason } from '../../services/network/network';
import { phrase } from '../../utils/l10n';
import { McpError } from '../mcpError';
import { limitedResponse } from '../server/limitedResponse';
import { assertReachable } from '../server/startRefusal';

const reason: Reason = { purpose: 'signIn', detail: '' };
const ask = network.fetch(() => reason);

/** Asks the user whether a sign-in is allowed to contact an origin other than the server's origin. */
export type ConfirmOrigin = (origin: string) => Promise<boolean>;

/** Restricts the requests of a sign-in to the server and to origins that the user approved. */
export class OriginGuard {
  private readonly own: URL;
  private readonly asking = new Map<string, Promise<boolean>>();
  private readonly agreed: Set<string>;

  /** Creates the guard. Without `confirm`, only the origins in `agreed` are allowed. */
  constructor(
    url: string,
    agreed: readonly string[],
    private readonly confirm: ConfirmOrigin | null = null,
  ) {
    this.own = new URL(url);
    this.agreed = new Set(agreed);
  }

  /** Approved origins in addition to the origin of the server. */
  get origins(): string[] {
    return [...this.agreed].toSorted();
  }

  /** Rejects with `McpError` if the address is not allowed. */
  async check(url: URL): Promise<void> {
    assertReachable(url, reason);
    if (url.origin === this.own.origin) return;
    const mayBePlain = url.protocol === 'http:' && isLoopback(url) && isLoopback(this.own);
    if (url.protocol !== 'https:' && !mayBePlain)
      throw new McpError('signIn', phrase('The server requires you to sign in at {0}, which is not encrypted.', url.origin));
    if (this.agreed.has(url.origin)) return;
    let answer = this.asking.get(url.origin);
    if (answer === undefined) {
      answer = this.confirm?.(url.origin) ?? Promise.resolve(false);
      this.asking.set(url.origin, answer);
    }
    if (!(await answer)) throw new McpError('signIn', phrase('You did not allow a connection to {0}.', url.origin));
    this.agreed.add(url.origin);
  }

  /** Fetches an allowed address without following redirects, so that secrets are only sent to approved origins. */
  readonly fetch: typeof fetch = async (input, init) => {
    await this.check(new URL(input instanceof Request ? input.url : String(input)));
    return limitedResponse(await ask(input, { ...init, signal: limited(init?.signal) }));
  };
}

/** Maximum time for one request of the sign-in, in milliseconds. */
const requestMs = 30_000;

function limited(signal: AbortSignal | null | undefined): AbortSignal {
  const late = AbortSignal.timeout(requestMs);
  return signal ? AbortSignal.any([signal, late]) : late;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
