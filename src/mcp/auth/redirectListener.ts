import { timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { phrase, t } from '../../utils/l10n';
import { McpError } from '../mcpError';

/** Parameters with which a browser comes back from a sign-in. */
export interface Redirected {
  code: string;
  /** Issuer (RFC 9207), where the authorization server says it. */
  iss: string | null;
}

/** Waits on this machine for the browser that comes back from one sign-in (RFC 8252, section 7.3). */
export class RedirectListener {
  private back: { resolve(back: Redirected): void; reject(error: McpError): void } | null = null;
  /** Resolves when the browser is back. Rejects with `McpError` if the sign-in was refused there. */
  readonly redirected: Promise<Redirected>;

  private constructor(
    private readonly server: Server,
    private readonly state: string,
  ) {
    this.redirected = new Promise((resolve, reject) => (this.back = { resolve, reject }));
    // Nobody may be waiting yet.
    this.redirected.catch(() => undefined);
  }

  /** Listens on 127.0.0.1, at `port` or any free one. Rejects if that is taken. */
  static async open(state: string, port: number | null): Promise<RedirectListener> {
    const server = createServer({ requestTimeout: 10_000 });
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
        reject(new McpError('signIn', phrase('Port {0} is taken.', String(port ?? 0)), { cause: error })),
      );
      server.listen(port ?? 0, '127.0.0.1', resolve);
    });
    return listener;
  }

  /** Address that the browser is to come back to. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/callback`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Returns status and words for the page. Whoever does not know the state changes nothing. */
  private take(method: string, path: string): [number, string] {
    const url = URL.parse(path, this.url);
    if (method !== 'GET' || url?.pathname !== '/callback') return [404, t('There is nothing here.')];
    const of = (name: string) => url.searchParams.get(name);
    if (!isSame(of('state') ?? '', this.state)) return [400, t('This does not belong to a sign-in that goes on.')];
    const [code, error] = [of('code'), of('error')];
    if (code === null) {
      const reason = (of('error_description') ?? error ?? '').slice(0, 300);
      this.back?.reject(new McpError('signIn', phrase('The sign-in was refused: {0}', reason)));
      return [200, t('The sign-in was refused. You can close this window.')];
    }
    this.back?.resolve({ code, iss: of('iss') });
    return [200, t('You are back in the editor now. You can close this window.')];
  }
}

function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
