import { randomBytes } from 'node:crypto';
import {
  auth,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { CancelledError, messageOf, throwIfAborted } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import type { OAuthClient } from '../config/serverConfig';
import { McpError } from '../mcpError';
import { OriginGuard, type ConfirmOrigin } from './originGuard';
import { RedirectListener } from './redirectListener';
import type { SignInChallenge, SignInStore, StoredSignIn } from './storedSignIn';

/** Access to the user and their browser. */
export interface SignInPerson {
  confirm: ConfirmOrigin;
  /** Opens an address in the browser. Resolves with false if the user declines. */
  open(url: string): Promise<boolean>;
  /** Returns the address at which the browser reaches this computer. It is different in a remote window. */
  external(url: string): Promise<string>;
}

/** Maximum time for the sign-in in the browser, in milliseconds. */
const browserMs = 10 * 60_000;

/**
 * Signs the user in to a server with the authorization code flow and PKCE (OAuth 2.1), and stores the tokens. Rejects with
 * a localized `McpError` or with `CancelledError`. The stored sign-in does not change in this case.
 */
export async function signIn(
  challenge: SignInChallenge,
  client: OAuthClient | null,
  person: SignInPerson,
  store: SignInStore,
  signal: AbortSignal,
): Promise<void> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(browserMs)]);
  const guard = new OriginGuard(challenge.url, [], (origin) => person.confirm(origin));
  const state = randomBytes(32).toString('base64url');
  const listener = await RedirectListener.open(state, client?.callbackPort ?? null);
  try {
    const flow = new SignInFlow(state, await person.external(listener.url), client);
    const { resourceMetadataUrl, scope } = challenge;
    const options = {
      serverUrl: challenge.url,
      fetchFn: (url: string | URL, init?: RequestInit) => guard.fetch(url, { ...init, signal: ending }),
      ...(scope !== null && { scope }),
      ...(resourceMetadataUrl !== null && { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
    };
    await auth(flow, { ...options, forceReauthorization: true });
    const page = flow.page;
    if (page === null) throw new McpError('signIn', phrase('The server does not specify a sign-in address.'));
    await guard.check(page);
    throwIfAborted(ending);
    if (!(await person.open(page.href))) throw new CancelledError();
    const { code, iss } = await until(listener.redirected, ending);
    await auth(flow, { ...options, authorizationCode: code, ...(iss !== null && { iss }) });
    await store.write(challenge.url, flow.result(guard.origins));
  } catch (error) {
    if (signal.aborted) throw new CancelledError();
    if (ending.aborted) throw new McpError('signIn', phrase('Sign-in was not completed within {0} minutes.', browserMs / 60_000));
    if (error instanceof McpError || error instanceof CancelledError) throw error;
    throw new McpError('signIn', phrase('Sign-in failed: {0}', messageOf(error).slice(0, 500)), { cause: error });
  } finally {
    listener.close();
  }
}

/** Collects the results of one sign-in for the OAuth client. */
class SignInFlow implements OAuthClientProvider {
  page: URL | null = null;
  private verifier = '';
  private information: OAuthClientInformationMixed | undefined;
  private given: OAuthTokens | undefined;
  private discovered: OAuthDiscoveryState | undefined;

  constructor(
    private readonly ownState: string,
    readonly redirectUrl: string,
    private readonly client: OAuthClient | null,
  ) {
    if (client?.clientId !== undefined)
      this.information = {
        client_id: client.clientId,
        ...(client.clientSecret !== undefined && { client_secret: client.clientSecret }),
      };
  }

  get clientMetadata() {
    const hasSecret = this.client?.clientSecret !== undefined;
    return {
      client_name: 'Ollama Copilot',
      redirect_uris: [this.redirectUrl],
      response_types: ['code'],
      token_endpoint_auth_method: hasSecret ? 'client_secret_post' : 'none',
    };
  }

  state = () => this.ownState;
  clientInformation = (about?: { issuer: string }) =>
    this.information && { ...this.information, ...(about && { issuer: about.issuer }) };
  saveClientInformation = (information: OAuthClientInformationMixed) => void (this.information = information);
  tokens = () => this.given;
  saveTokens = (tokens: OAuthTokens) => void (this.given = tokens);
  redirectToAuthorization = (url: URL) => void (this.page = url);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
  discoveryState = () => this.discovered;

  /** Throws `McpError` before any registration if the server does not advertise PKCE with S256. The protocol requires this. */
  saveDiscoveryState = (state: OAuthDiscoveryState): void => {
    if (state.authorizationServerMetadata?.code_challenge_methods_supported?.includes('S256') !== true)
      throw new McpError('signIn', phrase('Signing in is not safe because the server does not support PKCE (S256).'));
    this.discovered = state;
  };

  /** Returns the sign-in to store. */
  result(origins: string[]): StoredSignIn {
    const { information, given, discovered } = this;
    if (information === undefined || given === undefined || discovered === undefined)
      throw new McpError('signIn', phrase('The server did not return an access token.'));
    return {
      authorizationServer: discovered.authorizationServerUrl,
      metadata: discovered.authorizationServerMetadata ?? null,
      resource: discovered.resourceMetadata?.resource ?? null,
      client: { ...information },
      tokens: { ...given },
      origins,
    };
  }
}

function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new CancelledError());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
