import { ApiError } from './apiError';
import type { ApiHost, ApiScope } from './apiPorts';

/** Milliseconds that a request waits for a person. */
const patienceMs = 60_000;

/**
 * Keeps what a person has allowed each client, by its name, and for how long. Whoever has the token may look; all else is asked about in the
 * editor, once at a time.
 */
export class ClientRights {
  private readonly allowed = new Map<string, number>();
  private readonly asking = new Map<string, Promise<number | null>>();

  constructor(private readonly host: Pick<ApiHost, 'askForClient' | 'clock'>) {}

  /** Resolves when the client may; throws `NOT_ALLOWED` where a person declines, or does not answer. */
  async need(client: string, scope: ApiScope): Promise<void> {
    if (scope === 'read') return;
    const key = `${scope}\n${client}`;
    if ((this.allowed.get(key) ?? 0) > this.host.clock.now()) return;
    if (client === '') throw new ApiError('NOT_ALLOWED', 'Name the client in the header X-Client to be asked about');
    const asked = this.asking.get(key) ?? this.ask(key, client, scope);
    this.asking.set(key, asked);
    const duration = await asked.finally(() => this.asking.delete(key));
    if (duration === null) throw new ApiError('NOT_ALLOWED', `Nobody has allowed “${client}” to ${scope}`);
  }

  /** Takes everything back. */
  clear(): void {
    this.allowed.clear();
  }

  private async ask(key: string, client: string, scope: ApiScope): Promise<number | null> {
    const duration = await this.host.askForClient(client, scope, AbortSignal.timeout(patienceMs));
    if (duration !== null) this.allowed.set(key, this.host.clock.now() + duration);
    return duration;
  }
}

/** Returns the name of a client as it is shown: one short line. */
export function clientName(header: string | string[] | undefined): string {
  const text = typeof header === 'string' ? header : '';
  return /^[\w .:@/()+-]{1,60}$/.test(text) ? text.trim() : '';
}
