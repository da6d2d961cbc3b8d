import { timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { network } from '../../services/network/network';
import { phrase, t } from '../../utils/l10n';
import { McpError } from '../mcpError';

/** Parameters of the browser's redirect after a sign-in. */
export interface Redirected {
  code: string;
  /** Issuer (RFC 9207), if the authorization server sends it. */
  iss: string | null;
}

/** Listens on the loopback interface for the redirect of one sign-in (RFC 8252, section 7.3). */
export class RedirectListener {
  private back: { resolve(back: Redirected): void; reject(error: McpError): void } | null = null;
  /** Resolves when the browser is redirected. Rejects with `McpError` if the sign-in was denied. */
  readonly redirected: Promise<Redirected>;

  private constructor(
    private readonly server: Server,
    private readonly state: string,
  ) {
    this.redirected = new Promise((resolve, reject) => (this.back = { resolve, reject }));
    // Prevent an unhandled rejection while no code awaits the promise.
    this.redirected.catch(() => undefined);
  }

  /** Listens on 127.0.0.1 at `port`, or at any free port. Rejects if the port is in use. */
  static async open(state: string, port: number | null): Promise<RedirectListener> {
    const server = network.createServer({ purpose: 'signIn', detail: '' }, { requestTimeout: 10_000 });
    const listener = new RedirectListener(server, state);
    server.on('request', (request, response) => {
      const [status, words] = listener.take(request.method ?? '', request.url ?? '');
      response.writeHead(status, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': "default-src 'none'",
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
        Connection: 'close',
      });
      response.end(`<!DOCTYPE html><title>Ollama Copilot</title><p>${escaped(words)}</p>`);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(new McpError('signIn', phrase('Port {0} is already in use.', String(port ?? 0)), { cause: error })),
      );
      server.listen(port ?? 0, '127.0.0.1', resolve);
    });
    return listener;
  }

  /** Redirect URI. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/callback`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Returns the status and text of the response page. Rejects requests without the correct `state` parameter. */
  private take(method: string, path: string): [number, string] {
    const url = URL.parse(path, this.url);
    if (method !== 'GET' || url?.pathname !== '/callback') return [404, t('Page not found.')];
    const of = (name: string) => url.searchParams.get(name);
    if (!isSame(of('state') ?? '', this.state)) return [400, t('This request does not match a sign-in that is in progress.')];
    const code = of('code');
    const error = of('error');
    if (code === null) {
      const reason = (of('error_description') ?? error ?? '').slice(0, 300);
      this.back?.reject(new McpError('signIn', phrase('Sign-in was denied: {0}', reason)));
      return [200, t('Sign-in was denied. You can close this window.')];
    }
    this.back?.resolve({ code, iss: of('iss') });
    return [200, t('Return to the editor to continue. You can close this window.')];
  }
}

function isSame(left: string, right: string): boolean {
  const one = Buffer.from(left);
  const other = Buffer.from(right);
  return one.length === other.length && timingSafeEqual(one, other);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
