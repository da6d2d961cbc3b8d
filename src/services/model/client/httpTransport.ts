import type { OutgoingHttpHeaders } from 'node:http';
import { readPort } from '../../../types/httpAddress';
import { CancelledError, throwIfAborted } from '../../../utils/errors';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import { LocalOnlyError } from '../../network/localOnly';
import { network } from '../../network/network';
import { findErrorCode, errorFromConnection, notOllamaError } from './errorMapping';
import { HttpReply } from './httpReply';
import { AuthError, LocalOnlyRefusal, OllamaError } from './ollamaErrors';
import { parseServerAddress, type ServerAddress } from './serverAddress';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path after the server's base path, such as `/api/chat`. */
  path: string;
  body?: unknown;
  /** Reason to show in the list of connections. */
  about?: string;
}

export interface HttpTransportOptions {
  baseUrl: () => string;
  /** Returns the bearer token for exactly this origin, if there is one. */
  token: (origin: string) => Promise<string | undefined>;
  logger: Logger;
}

const maxRedirects = 5;
/** Milliseconds of silence before TCP keep-alive probes start. A model may be silent for minutes. */
const keepAliveAfterMs = 30_000;
/** Connection errors after which another address of the same machine may respond. */
const retryableOnOtherHost = new Set([
  'ECONNREFUSED',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'EACCES',
  'EINVAL',
  'EPERM',
]);

/** Sends requests to the configured server only. Sets no timeouts, because a model may take minutes to load. */
export class HttpTransport {
  /** Host that responded last, by origin. The next request tries this host first. */
  private readonly preferredHosts = new Map<string, string>();

  constructor(private readonly options: HttpTransportOptions) {}

  /**
   * Resolves with the headers of the final response, with any status. The caller must read, release or close the reply. If the
   * signal fires before the response ends, the socket is destroyed. Throws `ConnectionError`, `CancelledError`, or `OllamaError`
   * for an invalid address or a refused redirect.
   */
  async send(request: HttpRequest, signal?: AbortSignal): Promise<HttpReply> {
    const address = parseServerAddress(this.options.baseUrl());
    const headers = await this.headersFor(address);
    throwIfAborted(signal);
    let path = address.basePath + request.path;
    for (let redirects = 0; ; redirects += 1) {
      const reply = await this.connect(address, { ...request, path }, headers, signal);
      this.options.logger.trace(`${request.method} ${path}: ${reply.status}`);
      if (!isRedirect(reply.status)) return reply;
      reply.close();
      path = redirectedPath(request, path, reply, address);
      if (redirects === maxRedirects) throw notOllamaError('Too many redirects', address.display, { statusCode: reply.status });
    }
  }

  private async headersFor(address: ServerAddress): Promise<OutgoingHttpHeaders> {
    const token = await this.tokenFor(address.origin);
    if (token === '') return { host: address.hostHeader };
    // If a header contains other characters, Node.js throws an error that contains the token.
    if (/[^\x21-\x7e]/.test(token)) {
      throw new AuthError(
        'The bearer token has characters that no header can carry',
        t('The access token contains invalid characters. Set the access token again.'),
      );
    }
    return { host: address.hostHeader, authorization: `Bearer ${token}` };
  }

  /**
   * Returns the token, or an empty string if there is none. If the secret storage fails, the request is sent without a token.
   * Most servers need no token, and the others respond with 401.
   */
  private async tokenFor(origin: string): Promise<string> {
    try {
      return ((await this.options.token(origin)) ?? '').trim();
    } catch (error) {
      this.options.logger.error('Could not read the bearer token', error);
      return '';
    }
  }

  private async connect(
    address: ServerAddress,
    request: HttpRequest,
    headers: OutgoingHttpHeaders,
    signal: AbortSignal | undefined,
  ): Promise<HttpReply> {
    const preferred = this.preferredHosts.get(address.origin);
    const hosts = address.hosts.toSorted((a, b) => Number(b === preferred) - Number(a === preferred));
    let first: unknown;
    for (const host of hosts) {
      try {
        const reply = await this.exchange(address, host, request, headers, signal);
        this.preferredHosts.set(address.origin, host);
        return reply;
      } catch (error) {
        throwIfAborted(signal);
        if (error instanceof LocalOnlyError) throw new LocalOnlyRefusal(error);
        first ??= error;
        if (!retryableOnOtherHost.has(findErrorCode(error))) {
          first = error;
          break;
        }
      }
    }
    throw errorFromConnection(first, address.display);
  }

  private async exchange(
    address: ServerAddress,
    host: string,
    request: HttpRequest,
    headers: OutgoingHttpHeaders,
    signal: AbortSignal | undefined,
  ): Promise<HttpReply> {
    throwIfAborted(signal);
    return new Promise((resolve, reject) => {
      const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
      const options = {
        protocol: address.protocol,
        host,
        port: readPort(address),
        path: request.path,
        method: request.method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json', 'content-length': body.length }) },
        ...(address.serverName !== undefined && { servername: address.serverName }),
      };
      const outgoing = network.request(options, {
        purpose: 'ollama',
        detail: [request.method, request.path.slice(address.basePath.length), request.about].filter(Boolean).join(' '),
      });
      const abort = () => void outgoing.destroy(new CancelledError());
      signal?.addEventListener('abort', abort, { once: true });
      outgoing.on('close', () => signal?.removeEventListener('abort', abort));
      outgoing.on('socket', (socket) => socket.setKeepAlive(true, keepAliveAfterMs));
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => resolve(new HttpReply(incoming, address.display, signal)));
      outgoing.end(body);
    });
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/**
 * Returns the path of a redirect within the same origin. Refuses redirects
 * to another origin, and all redirects of methods other than GET.
 */
function redirectedPath(request: HttpRequest, path: string, reply: HttpReply, address: ServerAddress): string {
  const from = new URL(path, address.origin);
  const location = reply.header('location');
  const target = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (target === undefined) {
    throw notOllamaError('A redirect without a valid location', address.display, { statusCode: reply.status });
  }
  if (target.origin === address.origin && request.method === 'GET') return target.pathname + target.search;
  throw new OllamaError(
    `Refused a redirect of ${request.method} to ${target.origin}`,
    t(
      'The server at {0} redirects to {1}. For your safety, the redirect is not followed. If {1} is your Ollama server, set this address in the settings.',
      address.display,
      `${target.origin}${target.pathname}`,
    ),
    { statusCode: reply.status },
  );
}
