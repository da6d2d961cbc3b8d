import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { readPort } from '../../../types/httpAddress';
import { messageOf } from '../../../utils/errors';
import { isIpAddress, isPrivateAddress } from '../../network/addresses';
import { LocalOnlyError } from '../../network/localOnly';
import { network, type Reason } from '../../network/network';

/** HTTP proxy that connects only to allowed hosts. */
export interface HostProxy {
  /** Port of the loopback address. Null on a Unix socket. */
  readonly port: number | null;
  /** Hosts that were requested and refused, without duplicates. */
  readonly refused: ReadonlySet<string>;
  close(): Promise<void>;
}

/**
 * Starts a proxy for `hosts`: names, or `*.example.org` for all names below a domain. Listens on a Unix socket, or on a free port
 * of the loopback address if `socket` is null. Rejects if it cannot listen. Refuses an allowed name that resolves to a private
 * address, unless that address is allowed. `reason` is recorded for the connections of the proxy.
 */
export async function startHostProxy(socket: string | null, hosts: readonly string[], reason: Reason): Promise<HostProxy> {
  const refused = new Set<string>();
  const resolveAddress = async (host: string, port: number): Promise<string | null> => {
    const refuse = (): null => {
      refused.add(host);
      network.refused(host, port, reason);
      return null;
    };
    if (!isAllowed(host, hosts)) return refuse();
    try {
      if (isIpAddress(host)) network.assertAllowed(host, port, reason);
      const found = isIpAddress(host) ? null : await network.lookup(host, port, reason);
      return found === null ? host : isPrivateAddress(found) ? refuse() : found.address;
    } catch (error) {
      if (!(error instanceof LocalOnlyError)) throw error;
      refused.add(host);
      return null;
    }
  };
  const outside: Outside = { addressOf: resolveAddress, reason };
  const open = new Set<Duplex>();
  // Clients of this server are sandboxed commands. The connection log records the hosts that they reach.
  const server = network.createServer(null, {}, (asked, answer) => void passOn(asked, answer, outside));
  server.on(
    'connect',
    (asked: IncomingMessage, client: Duplex, head: Buffer) => void tunnel(asked.url ?? '', client, head, outside),
  );
  server.on('connection', (client: Socket) => {
    open.add(client);
    client.on('close', () => open.delete(client));
  });
  const at = socket === null ? { host: '127.0.0.1', port: 0 } : { path: socket };
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(at, resolve));
  const address = server.address();
  return {
    port: address === null || typeof address === 'string' ? null : address.port,
    refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of open) client.destroy();
      }),
  };
}

interface Outside {
  /** Resolves with the address to connect to, or with null for a refused host. */
  addressOf: (host: string, port: number) => Promise<string | null>;
  reason: Reason;
}

/** Handles CONNECT. The proxy sees only the host name and the port. */
async function tunnel(target: string, client: Duplex, head: Buffer, { addressOf, reason }: Outside): Promise<void> {
  client.on('error', () => client.destroy());
  const [, host = '', port = '443'] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(target) ?? [];
  try {
    const address = await addressOf(host.toLowerCase(), Number(port));
    if (address === null) return void client.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refusal(host)}`);
    const server = network.connect(Number(port), address, host, reason, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      server.write(head);
      server.pipe(client).pipe(server);
    });
    server.on('error', () => client.destroy());
    client.on('close', () => server.destroy());
  } catch (error) {
    client.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${messageOf(error)}\n`);
  }
}

/** Handles a plain HTTP request, as sent with `http_proxy`. */
async function passOn(asked: IncomingMessage, answer: ServerResponse, { addressOf, reason }: Outside): Promise<void> {
  const fail = (status: number, text: string): void => {
    answer.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  };
  const url = URL.canParse(asked.url ?? '') ? new URL(asked.url ?? '') : null;
  if (url?.protocol !== 'http:') {
    fail(400, 'The sandbox passes on HTTP requests only.\n');
    return;
  }
  try {
    const address = await addressOf(url.hostname.toLowerCase(), readPort(url));
    if (address === null) {
      fail(403, refusal(url.hostname));
      return;
    }
    const ofProxy = ['proxy-connection', 'proxy-authorization'];
    const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !ofProxy.includes(name)));
    const options = {
      protocol: 'http:' as const,
      host: address,
      requestedHost: url.hostname,
      port: readPort(url),
      path: `${url.pathname}${url.search}`,
      method: asked.method,
      headers: { ...headers, host: url.host },
    };
    const sent = network.request(options, reason);
    sent.on('response', (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    sent.on('error', (error) => (answer.headersSent ? answer.destroy() : fail(502, `${messageOf(error)}\n`)));
    asked.pipe(sent);
  } catch (error) {
    fail(502, `${messageOf(error)}\n`);
  }
}

function refusal(host: string): string {
  return `Blocked by the sandbox: ${host}\n`;
}

export function isAllowed(host: string, hosts: readonly string[]): boolean {
  return hosts.some((one) => {
    const allowed = one.toLowerCase();
    return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;
  });
}
