/** Secret storage of the editor. */
export interface TokenStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** Stores bearer tokens, each bound to its origin. After an address change, the new server never receives the old token. */
export class TokenManager {
  constructor(private readonly secrets: TokenStore) {}

  async tokenFor(origin: string): Promise<string | undefined> {
    return this.secrets.get(createKey(origin));
  }

  /** Stores a token. An empty token deletes the stored token. */
  async setToken(origin: string, token: string): Promise<void> {
    if (token === '') await this.secrets.delete(createKey(origin));
    else await this.secrets.store(createKey(origin), token);
  }
}

function createKey(origin: string): string {
  return `ollamaCopilot.bearerToken:${origin}`;
}
