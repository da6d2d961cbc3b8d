import { z } from 'zod';

/** Secret storage of the editor. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** Words of a server that refused a request: where it says what to sign in to, and for what. Nothing of it is to be trusted. */
export interface SignInChallenge {
  /** Address of the server, as it was asked. */
  url: string;
  resourceMetadataUrl: string | null;
  scope: string | null;
}

const kept = z.object({
  /** Authorization server that gave the tokens, and what it says of itself. */
  authorizationServer: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  /** Indicator of the resource that the tokens are for (RFC 8707). */
  resource: z.string().nullable(),
  client: z.record(z.string(), z.unknown()),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string(), refresh_token: z.string().optional() }),
  /** Origins beside the server's own that a person has agreed to. */
  origins: z.array(z.string()),
});
/** Sign-in as it is kept, in one secret. */
export type StoredSignIn = z.infer<typeof kept>;

/** Keeps sign-ins by the addresses of their servers. They are nowhere but in the secret storage. */
export class SignInStore {
  constructor(private readonly secrets: SecretStore) {}

  /** Resolves with null if nobody has signed in, or what is kept cannot be read. */
  async read(url: string): Promise<StoredSignIn | null> {
    const text = await this.secrets.get(keyOf(url));
    if (text === undefined) return null;
    try {
      return kept.parse(JSON.parse(text));
    } catch {
      return null;
    }
  }

  async write(url: string, signIn: StoredSignIn): Promise<void> {
    await this.secrets.store(keyOf(url), JSON.stringify(signIn));
  }

  async forget(url: string): Promise<void> {
    await this.secrets.delete(keyOf(url));
  }
}

function keyOf(url: string): string {
  return `mcp.signIn:${url}`;
}
