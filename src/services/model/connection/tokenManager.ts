/** Store of secrets: the editor's secret storage. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** Keeps bearer tokens, each bound to the origin it was entered for: a changed address never sees the old server's token. */
export class TokenManager {
  constructor(private readonly secrets: SecretStore) {}

  async tokenFor(origin: string): Promise<string | undefined> {
    return this.secrets.get(keyOf(origin));
  }

  /** Stores a token; an empty one removes the one there is. */
  async setToken(origin: string, token: string): Promise<void> {
    if (token === '') await this.secrets.delete(keyOf(origin));
    else await this.secrets.store(keyOf(origin), token);
  }
}

function keyOf(origin: string): string {
  return `ollamaCopilot.bearerToken:${origin}`;
}
