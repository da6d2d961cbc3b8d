import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from './apiError';
import { apiScopes, type ApiHost, type ApiScope } from './apiPorts';
import { newToken } from './apiToken';

/** Maximum time that a request waits for the user, in milliseconds. */
const patienceMs = 60_000;

/** Calling program, with a name that it chose and a key that proves its identity. */
export interface Caller {
  name: string;
  key: string;
  /** True if the key was created for this request. The client receives the key with the approval. */
  isNew: boolean;
}

/**
 * Stores the scopes that the user has granted to each client (by name and key) and for how long. Every client with the
 * token can read. The user approves everything else in the editor, one question at a time.
 */
export class ClientRights {
  private readonly allowed = new Map<string, number>();
  private readonly asking = new Map<string, Promise<number | null>>();

  constructor(private readonly host: Pick<ApiHost, 'askForClient' | 'clock'>) {}

  /** Grants a client a scope and all scopes that it includes. The grant ends when the API stops. */
  allow(caller: Pick<Caller, 'name' | 'key'>, scope: ApiScope): void {
    for (const held of apiScopes.slice(0, apiScopes.indexOf(scope) + 1)) this.allowed.set(createClientId(caller, held), Infinity);
  }

  /** Returns true if a client already has a scope, so that no question is needed. */
  holds(caller: Pick<Caller, 'name' | 'key'>, scope: ApiScope): boolean {
    return scope === 'read' || (this.allowed.get(createClientId(caller, scope)) ?? 0) > this.host.clock.now();
  }

  /** Resolves when the client is allowed to continue. Throws `NOT_ALLOWED` if the user declines or does not reply. */
  async need(caller: Caller, scope: ApiScope): Promise<void> {
    if (this.holds(caller, scope)) return;
    const id = createClientId(caller, scope);
    if (caller.name === '')
      throw new ApiError('NOT_ALLOWED', 'This request needs approval. Send the name of the client in the X-Client header');
    const asked = this.asking.get(id) ?? this.ask(id, caller.name, scope);
    this.asking.set(id, asked);
    const duration = await asked.finally(() => this.asking.delete(id));
    if (duration === null) throw new ApiError('NOT_ALLOWED', `The user did not allow “${caller.name}” to ${scope}`);
  }

  clear(): void {
    this.allowed.clear();
  }

  private async ask(id: string, name: string, scope: ApiScope): Promise<number | null> {
    const duration = await this.host.askForClient(name, scope, AbortSignal.timeout(patienceMs));
    if (duration !== null) this.allowed.set(id, this.host.clock.now() + duration);
    return duration;
  }
}

/** Returns the caller from the headers of a request. A caller without a key of at least 22 characters gets a new key. */
export function readCaller(headers: IncomingHttpHeaders): Caller {
  const { 'x-client': name, 'x-client-key': key } = headers;
  const isNew = typeof key !== 'string' || !/^[\w-]{22,200}$/.test(key);
  return { name: clientName(name), key: isNew ? newToken() : key, isNew };
}

/** Returns the display name of a client as one short line. */
function clientName(header: string | string[] | undefined): string {
  const text = typeof header === 'string' ? header : '';
  return /^[\w .:@/()+-]{1,60}$/.test(text) ? text.trim() : '';
}

function createClientId({ name, key }: Pick<Caller, 'name' | 'key'>, scope: ApiScope): string {
  return `${scope}\n${name}\n${key}`;
}
