import {
  computeScopeUnion,
  extractWWWAuthenticateParams,
  InsufficientScopeError,
  OAuthError,
  refreshAuthorization,
  type AuthorizationServerMetadata,
  type AuthProvider,
  type OAuthClientInformationMixed,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import { McpError, SignInNeededError } from '../mcpError';
import { OriginGuard } from './originGuard';
import type { SignInStore, StoredSignIn } from './storedSignIn';

/** Adds the sign-in token to requests to one server, and renews the token. Never asks the user. */
export class ServerAuthorization implements AuthProvider {
  /** Access token that was sent with the request, by response. */
  private readonly sent = new WeakMap<Response, string>();
  private renewing: Promise<void> | null = null;

  /** Creates the provider. `onUse` receives the origins that the sign-in contacts in addition to the server's origin. */
  constructor(
    private readonly url: string,
    private readonly store: SignInStore,
    private readonly onUse: (origins: readonly string[]) => void,
  ) {}

  async token(): Promise<string | undefined> {
    const stored = await this.store.read(this.url);
    if (stored !== null) this.onUse(stored.origins);
    return stored?.tokens.access_token;
  }

  /** Wraps `fetch` to record the token of each request. */
  watched(ask: typeof fetch): typeof fetch {
    return async (input, init) => {
      const response = await ask(input, init);
      const [, token] = new Headers(init?.headers).get('authorization')?.split(' ') ?? [];
      if (token !== undefined) this.sent.set(response, token);
      return response;
    };
  }

  /** Renews the token after the server rejected it. Rejects with `SignInNeededError` if the user must sign in. */
  onUnauthorized({ response }: { response: Response }): Promise<void> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const needed = new SignInNeededError({
      url: this.url,
      resourceMetadataUrl: resourceMetadataUrl?.href ?? null,
      scope: scope ?? null,
    });
    this.renewing ??= this.renew(this.sent.get(response), needed).finally(() => (this.renewing = null));
    return this.renewing;
  }

  /** Returns an error that requests a new sign-in if a call needs more scope than granted. Returns null for other errors. */
  async neededFor(error: unknown): Promise<SignInNeededError | null> {
    if (!InsufficientScopeError.isInstance(error)) return null;
    const granted = (await this.store.read(this.url))?.tokens['scope'];
    return new SignInNeededError({
      url: this.url,
      resourceMetadataUrl: error.resourceMetadataUrl?.href ?? null,
      scope: computeScopeUnion(typeof granted === 'string' ? granted : undefined, error.requiredScope) ?? null,
    });
  }

  private async renew(refused: string | undefined, needed: SignInNeededError): Promise<void> {
    const stored = await this.store.read(this.url);
    // Another request or window has already renewed the token.
    if (stored !== null && stored.tokens.access_token !== refused) return;
    const refreshToken = stored?.tokens.refresh_token;
    if (stored === null || refreshToken === undefined) throw needed;
    let tokens: StoredSignIn['tokens'];
    try {
      tokens = await refreshAuthorization(stored.authorizationServer, {
        ...(stored.metadata !== null && { metadata: stored.metadata as AuthorizationServerMetadata }),
        ...(stored.resource !== null && { resource: new URL(stored.resource) }),
        clientInformation: stored.client as OAuthClientInformationMixed,
        refreshToken,
        fetchFn: new OriginGuard(this.url, stored.origins).fetch,
      });
    } catch (error) {
      if (error instanceof OAuthError && refusals.has(error.code)) throw needed;
      throw new McpError('start', phrase('Could not renew the sign-in: {0}', messageOf(error).slice(0, 500)), {
        cause: error,
      });
    }
    await this.store.write(this.url, { ...stored, tokens: { ...stored.tokens, ...tokens } });
  }
}

/** Error codes of RFC 6749, section 5.2, that require a new sign-in. */
const refusals = new Set<string>(['invalid_grant', 'invalid_client', 'unauthorized_client']);
