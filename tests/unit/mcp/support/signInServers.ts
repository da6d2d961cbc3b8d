import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const version = '2026-07-28';
const complete = (result: object) => ({ resultType: 'complete', ...result });

/** MCP server that requires a token, and its authorization server. Each has its own local origin. */
export class SignInServers {
  /** Tokens that the MCP server accepts. */
  readonly valid = new Set<string>();
  /** All requests, as `METHOD path`. */
  readonly asked: string[] = [];
  /** Bodies of the token requests. */
  readonly forms: URLSearchParams[] = [];
  private readonly refreshTokens = new Set<string>();
  private readonly codes = new Map<string, { challenge: string; redirect: string }>();
  /** Scope that a tool call requires, or null. */
  wantedScope: string | null = null;
  /** Scopes of the issued tokens. */
  private readonly scopes = new Map<string, string>();
  /** Additional metadata of the authorization server. */
  metadata: Record<string, unknown> = {};
  /** Authorization servers that the MCP server names. If null, it names its own. */
  named: string[] | null = null;
  registers = true;
  failsTokens: { status: number; body: string } | null = null;
  private readonly resource = createServer((request, response) => void this.resourceAnswers(request, response));
  private readonly issuing = createServer((request, response) => void this.issuerAnswers(request, response));

  async start(): Promise<void> {
    for (const server of [this.resource, this.issuing])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }

  close(): void {
    for (const server of [this.resource, this.issuing]) server.close().closeAllConnections();
  }

  get url(): string {
    return `${originOf(this.resource)}/mcp`;
  }

  get issuer(): string {
    return originOf(this.issuing);
  }

  /** Does what a browser does when the user agrees on the sign-in page. Resolves with the last page. */
  async agree(page: string, change: (back: URL) => void = () => undefined): Promise<Response> {
    const shown = await fetch(page, { redirect: 'manual' });
    const back = new URL(shown.headers.get('location') ?? '');
    change(back);
    return fetch(back);
  }

  private async resourceAnswers(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked.push(`${request.method} ${request.url}`);
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      json(response, 200, { resource: this.url, authorization_servers: this.named ?? [this.issuer] });
      return;
    }
    if (request.url !== '/mcp') {
      json(response, 404, {});
      return;
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const challenge = `Bearer resource_metadata="${originOf(this.resource)}/.well-known/oauth-protected-resource/mcp"`;
    if (!this.valid.has(token)) return void response.writeHead(401, { 'www-authenticate': challenge }).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await bodyOf(request)) as { id?: number; method: string; params?: { arguments?: unknown } };
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'tools/call' && this.wantedScope !== null && this.scopes.get(token) !== this.wantedScope) {
      const wants = `${challenge}, error="insufficient_scope", scope="${this.wantedScope}"`;
      return void response.writeHead(403, { 'www-authenticate': wants }).end();
    }
    json(response, 200, { jsonrpc: '2.0', id: message.id, result: resultOf(message) });
  }

  private async issuerAnswers(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.issuer);
    this.asked.push(`${request.method} ${url.pathname}`);
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server': {
        json(response, 200, {
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          ...(this.registers && { registration_endpoint: `${this.issuer}/register` }),
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
          ...this.metadata,
        });
        return;
      }
      case '/register': {
        json(response, 201, { ...(JSON.parse(await bodyOf(request)) as object), client_id: randomUUID() });
        return;
      }
      case '/authorize': {
        const code = randomUUID();
        const redirect = url.searchParams.get('redirect_uri') ?? '';
        this.codes.set(code, { challenge: url.searchParams.get('code_challenge') ?? '', redirect });
        this.scopes.set(code, url.searchParams.get('scope') ?? '');
        const back = new URL(redirect);
        back.searchParams.set('code', code);
        back.searchParams.set('state', url.searchParams.get('state') ?? '');
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token': {
        this.giveTokens(new URLSearchParams(await bodyOf(request)), response);
        return;
      }
      default: {
        json(response, 404, {});
        return;
      }
    }
  }

  private giveTokens(form: URLSearchParams, response: ServerResponse): void {
    this.forms.push(form);
    if (this.failsTokens !== null) return void response.writeHead(this.failsTokens.status).end(this.failsTokens.body);
    const code = this.codes.get(form.get('code') ?? '');
    const hash = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isCode = code?.challenge === hash && code.redirect === form.get('redirect_uri');
    // Each refresh token is valid only once.
    if (!isCode && !this.refreshTokens.delete(form.get('refresh_token') ?? '')) {
      json(response, 400, { error: 'invalid_grant' });
      return;
    }
    const access = `access-${randomUUID()}`;
    const refresh = `refresh-${randomUUID()}`;
    this.valid.add(access);
    this.refreshTokens.add(refresh);
    const scope = this.scopes.get(form.get('code') ?? '') ?? '';
    this.scopes.set(access, scope);
    json(response, 200, { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600, scope });
  }

  /** Revokes all access and refresh tokens. */
  revoke(): void {
    this.valid.clear();
    this.refreshTokens.clear();
  }
}

function resultOf({ method, params }: { method: string; params?: { arguments?: unknown } }): object {
  const kept = { ttlMs: 0, cacheScope: 'private' };
  if (method === 'server/discover') return complete({ ...kept, supportedVersions: [version], capabilities: { tools: {} } });
  if (method === 'tools/list')
    return complete({ ...kept, tools: [{ name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } }] });
  return complete({ content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] });
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
