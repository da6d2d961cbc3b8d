import { z } from 'zod';

export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** Untrusted data from a rejected request: where to sign in, and with which scope. */
export interface SignInChallenge {
  /** Address of the request. */
  url: string;
  resourceMetadataUrl: string | null;
  scope: string | null;
}

const kept = z.object({
  /** Issuer of the tokens, with its metadata. */
  authorizationServer: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  /** Resource indicator of the tokens (RFC 8707). */
  resource: z.string().nullable(),
  client: z.record(z.string(), z.unknown()),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string(), refresh_token: z.string().optional() }),
  /** Approved origins in addition to the origin of the server. */
  origins: z.array(z.string()),
});
/** Sign-in in its stored form. It is stored as one secret. */
export type StoredSignIn = z.infer<typeof kept>;

/** Stores sign-ins by server address, in the secret storage only. */
export class SignInStore {
  constructor(private readonly secrets: SecretStore) {}

  /** Resolves with the sign-in, or with null if it is missing or unreadable. */
  async read(url: string): Promise<StoredSignIn | null> {
    const text = await this.secrets.get(createKey(url));
    if (text === undefined) return null;
    try {
      return kept.parse(JSON.parse(text));
    } catch {
      return null;
    }
  }

  async write(url: string, signIn: StoredSignIn): Promise<void> {
    await this.secrets.store(createKey(url), JSON.stringify(signIn));
  }

  async forget(url: string): Promise<void> {
    await this.secrets.delete(createKey(url));
  }
}

function createKey(url: string): string {
  return `mcp.signIn:${url}`;
}
