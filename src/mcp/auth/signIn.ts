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

/** The person who signs in, and their browser. */
export interface SignInPerson {
  confirm: ConfirmOrigin;
  /** Opens an address in the browser; false if the person declines. */
  open(url: string): Promise<boolean>;
  /** Returns the address at which the browser reaches one of this machine: another one where the editor is remote. */
  external(url: string): Promise<string>;
}

/** Milliseconds that a person has in the browser. */
const browserMs = 10 * 60_000;

/**
 * Signs a person in to a server in their browser, by the code flow with PKCE (OAuth 2.1), and keeps the tokens.
 * Rejects with `McpError` in words, or with `CancelledError`; what was kept before stays then.
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
    if (page === null) throw new McpError('signIn', phrase('It says nothing about where to sign in.'));
    await guard.check(page);
    throwIfAborted(ending);
    if (!(await person.open(page.href))) throw new CancelledError();
    const { code, iss } = await until(listener.redirected, ending);
    await auth(flow, { ...options, authorizationCode: code, ...(iss !== null && { iss }) });
    await store.write(challenge.url, flow.result(guard.origins));
  } catch (error) {
    if (signal.aborted) throw new CancelledError();
    if (ending.aborted) throw new McpError('signIn', phrase('Nobody signed in within {0} minutes.', browserMs / 60_000));
    if (error instanceof McpError || error instanceof CancelledError) throw error;
    throw new McpError('signIn', phrase('The sign-in failed: {0}', messageOf(error).slice(0, 500)), { cause: error });
  } finally {
    listener.close();
  }
}

/** Holds what one sign-in finds out, in the form in which the client asks for it. */
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

  /** Throws `McpError` where the server does not announce PKCE by S256, before anything is registered: the protocol wants it refused. */
  saveDiscoveryState = (state: OAuthDiscoveryState): void => {
    if (state.authorizationServerMetadata?.code_challenge_methods_supported?.includes('S256') !== true)
      throw new McpError('signIn', phrase('Its sign-in does not announce PKCE (S256), so it is not safe to sign in there.'));
    this.discovered = state;
  };

  /** Returns what is to be kept. */
  result(origins: string[]): StoredSignIn {
    const { information, given, discovered } = this;
    if (information === undefined || given === undefined || discovered === undefined)
      throw new McpError('signIn', phrase('It gave no token.'));
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
