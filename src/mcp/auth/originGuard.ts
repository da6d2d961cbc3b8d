import { phrase } from '../../utils/l10n';
import { McpError } from '../mcpError';
import { limitedResponse } from '../server/limitedResponse';

/** Asks a person whether an address may be asked that is not the server's own. */
export type ConfirmOrigin = (origin: string) => Promise<boolean>;

/** Lets the requests of a sign-in through: to the server, and to origins that a person has agreed to. */
export class OriginGuard {
  private readonly own: URL;
  private readonly asking = new Map<string, Promise<boolean>>();
  private readonly agreed: Set<string>;

  /** Without `confirm` nobody is asked, and only `agreed` origins are. */
  constructor(
    url: string,
    agreed: readonly string[],
    private readonly confirm: ConfirmOrigin | null = null,
  ) {
    this.own = new URL(url);
    this.agreed = new Set(agreed);
  }

  /** Origins beside the server's own that were agreed to. */
  get origins(): string[] {
    return [...this.agreed].toSorted();
  }

  /** Rejects with `McpError` if the address may not be asked. */
  async check(url: URL): Promise<void> {
    if (url.origin === this.own.origin) return;
    const mayBePlain = url.protocol === 'http:' && isLoopback(url) && isLoopback(this.own);
    if (url.protocol !== 'https:' && !mayBePlain)
      throw new McpError('signIn', phrase('It wants you to sign in at {0}, which is not encrypted.', url.origin));
    if (this.agreed.has(url.origin)) return;
    let answer = this.asking.get(url.origin);
    if (answer === undefined) {
      answer = this.confirm?.(url.origin) ?? Promise.resolve(false);
      this.asking.set(url.origin, answer);
    }
    if (!(await answer)) throw new McpError('signIn', phrase('{0} was not asked.', url.origin));
    this.agreed.add(url.origin);
  }

  /** Asks as `fetch` does, and follows no redirect: secrets go to the address that was agreed to. */
  readonly fetch: typeof fetch = async (input, init) => {
    await this.check(new URL(input instanceof Request ? input.url : String(input)));
    return limitedResponse(await fetch(input, { ...init, redirect: 'error', signal: limited(init?.signal) }));
  };
}

/** Milliseconds that one request of a sign-in may take. */
const requestMs = 30_000;

function limited(signal: AbortSignal | null | undefined): AbortSignal {
  const late = AbortSignal.timeout(requestMs);
  return signal ? AbortSignal.any([signal, late]) : late;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
