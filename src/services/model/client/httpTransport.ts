import http from 'node:http';
import https from 'node:https';
import { CancelledError, throwIfAborted } from '../../../utils/errors';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import { codeOf, errorFromConnection, notOllamaError } from './errorMapping';
import { HttpReply } from './httpReply';
import { AuthError, OllamaError } from './ollamaErrors';
import { parseServerAddress, type ServerAddress } from './serverAddress';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path after the server's base path, e.g. `/api/chat`. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
}

export interface HttpTransportOptions {
  baseUrl: () => string;
  /** The bearer token for exactly this origin, if there is one. */
  token: (origin: string) => Promise<string | undefined>;
  logger: Logger;
}

const maxRedirects = 5;
/** Milliseconds of silence after which the system asks whether the other side is still there: a model may be silent for minutes. */
const probeAfterMs = 30_000;
/** Failures to connect after which another address of the same machine may still answer. */
const tryElsewhere = new Set([
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
/** Slow networks need longer than the default 250 ms for the first address of a name; this is no limit on the last. */
const agentOptions = { keepAlive: false, autoSelectFamilyAttemptTimeout: 3000 };

/** Sends requests to the configured server and to nothing else. There are no timeouts: a model may load for minutes. */
export class HttpTransport {
  private readonly agents = { 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) };
  /** Host that answered last, by origin: it is tried first the next time. */
  private readonly preferredHosts = new Map<string, string>();

  constructor(private readonly options: HttpTransportOptions) {}

  /**
   * Resolves when the headers of the final answer are there, whatever its status. The reply must be read to its end,
   * released or closed. When the signal fires, at any time before the answer's end, the socket is destroyed.
   * @throws ConnectionError, CancelledError, or OllamaError for a bad address or a redirect that must not be followed
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

  private async headersFor(address: ServerAddress): Promise<http.OutgoingHttpHeaders> {
    const token = await this.tokenFor(address.origin);
    if (token === '') return { host: address.hostHeader };
    // A header with such characters is refused by the platform with an error that quotes it.
    if (/[^\x21-\x7e]/.test(token)) {
      throw new AuthError(
        'The bearer token has characters that no header can carry',
        t('The bearer token contains characters that cannot be sent. Set the bearer token again.'),
      );
    }
    return { host: address.hostHeader, authorization: `Bearer ${token}` };
  }

  /**
   * Returns the token; empty if there is none. Storage that fails must not lock out the many servers that need no token; others say 401.
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
    headers: http.OutgoingHttpHeaders,
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
        first ??= error;
        if (!tryElsewhere.has(codeOf(error))) {
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
    headers: http.OutgoingHttpHeaders,
    signal: AbortSignal | undefined,
  ): Promise<HttpReply> {
    throwIfAborted(signal);
    return new Promise((resolve, reject) => {
      const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
      const options: https.RequestOptions = {
        agent: this.agents[address.protocol],
        protocol: address.protocol,
        host,
        port: address.port,
        path: request.path,
        method: request.method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json', 'content-length': body.length }) },
        ...(address.serverName !== undefined && { servername: address.serverName }),
      };
      const outgoing = (address.protocol === 'https:' ? https : http).request(options);
      const abort = () => void outgoing.destroy(new CancelledError());
      signal?.addEventListener('abort', abort, { once: true });
      outgoing.on('close', () => signal?.removeEventListener('abort', abort));
      outgoing.on('socket', (socket) => socket.setKeepAlive(true, probeAfterMs));
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
 * Returns the target of a redirect as a path on the same origin. Refuses a redirect to another origin, or of anything
 * but GET.
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
      'The server at {0} sends requests on to {1}, which is not followed for your safety. If that is your Ollama server, set its address in the settings.',
      address.display,
      `${target.origin}${target.pathname}`,
    ),
    { statusCode: reply.status },
  );
}
