import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from './apiError';
import { apiScopes, type ApiHost, type ApiScope } from './apiPorts';
import { newToken } from './apiToken';

/** Milliseconds that a request waits for a person. */
const patienceMs = 60_000;

/** Program that calls: a name, which it gives itself, and a key, by which it proves that it is the one that was allowed. */
export interface Caller {
  name: string;
  key: string;
  /** True if the key was made for this request, and the client learns of it with what it is allowed. */
  isNew: boolean;
}

/**
 * Keeps what a person has allowed each client, by its name and its key, and for how long. Whoever has the token may look; all else is asked
 * about in the editor, once at a time.
 */
export class ClientRights {
  private readonly allowed = new Map<string, number>();
  private readonly asking = new Map<string, Promise<number | null>>();

  constructor(private readonly host: Pick<ApiHost, 'askForClient' | 'clock'>) {}

  /** Allows a client what a person has named before, until the API stops. What holds another scope holds that one too. */
  allow(caller: Pick<Caller, 'name' | 'key'>, scope: ApiScope): void {
    for (const held of apiScopes.slice(0, apiScopes.indexOf(scope) + 1)) this.allowed.set(idOf(caller, held), Infinity);
  }

  /** Resolves when the client may; throws `NOT_ALLOWED` where a person declines, or does not answer. */
  async need(caller: Caller, scope: ApiScope): Promise<void> {
    if (scope === 'read') return;
    const id = idOf(caller, scope);
    if ((this.allowed.get(id) ?? 0) > this.host.clock.now()) return;
    if (caller.name === '') throw new ApiError('NOT_ALLOWED', 'Name the client in the header X-Client to be asked about');
    const asked = this.asking.get(id) ?? this.ask(id, caller.name, scope);
    this.asking.set(id, asked);
    const duration = await asked.finally(() => this.asking.delete(id));
    if (duration === null) throw new ApiError('NOT_ALLOWED', `Nobody has allowed “${caller.name}” to ${scope}`);
  }

  /** Takes everything back. */
  clear(): void {
    this.allowed.clear();
  }

  private async ask(id: string, name: string, scope: ApiScope): Promise<number | null> {
    const duration = await this.host.askForClient(name, scope, AbortSignal.timeout(patienceMs));
    if (duration !== null) this.allowed.set(id, this.host.clock.now() + duration);
    return duration;
  }
}

/** Returns who calls, by the headers of a request. Without a key of at least 22 characters it gets one of its own. */
export function callerOf(headers: IncomingHttpHeaders): Caller {
  const { 'x-client': name, 'x-client-key': key } = headers;
  const isNew = typeof key !== 'string' || !/^[\w-]{22,200}$/.test(key);
  return { name: clientName(name), key: isNew ? newToken() : key, isNew };
}

/** Returns the name of a client as it is shown: one short line. */
function clientName(header: string | string[] | undefined): string {
  const text = typeof header === 'string' ? header : '';
  return /^[\w .:@/()+-]{1,60}$/.test(text) ? text.trim() : '';
}

function idOf({ name, key }: Pick<Caller, 'name' | 'key'>, scope: ApiScope): string {
  return `${scope}\n${name}\n${key}`;
}
