import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import net, { type LookupFunction, type Socket } from 'node:net';
import type { ConnectionPurpose } from '../../protocol/requests/connectionRequests';
import { ConnectionLedger, type EndRecord } from './connectionLedger';
import { fetchWith, type OutgoingRequest } from './fetchWith';
import { isLoopback, isNamed, LocalOnlyError, unlimited, type NetworkLimits } from './localOnly';
import { joinHostAndPort, watchIncoming, watchOutgoing, type OutgoingFacts } from './watchSocket';

export interface Reason {
  purpose: ConnectionPurpose;
  /** Request, server or command, as shown to the user. */
  detail: string;
  /** Chat to which the connection belongs. Defaults to the session of `ConnectionLedger.inSession`. */
  sessionId?: string;
}

interface OpenConnection {
  host: string;
  port: number;
  reason: Reason;
}

/** Slow networks need longer than the default 250 ms to connect to the first address of a name. The last address has no limit. */
const agentOptions = { keepAlive: false, autoSelectFamilyAttemptTimeout: 3000 };

/**
 * Handles all outgoing and incoming connections of this process. Records each connection and refuses
 * connections that the user does not allow. A lint rule forbids the Node.js network modules in all other files.
 */
export class Network {
  /** Returns the limits that the user has set. Assigned once at startup. */
  limits: () => NetworkLimits = () => unlimited;

  private readonly open = new Map<Socket, OpenConnection>();

  constructor(readonly ledger: ConnectionLedger) {}

  get isLocalOnly(): boolean {
    return this.limits().isLocalOnly;
  }

  /** Starts a request. Throws `LocalOnlyError` for a host that is not allowed, and records the refusal. */
  request({ requestedHost, ...options }: OutgoingRequest, reason: Reason): http.ClientRequest {
    const { protocol, port } = options;
    const host = requestedHost ?? options.host;
    this.assertAllowed(host, port, reason);
    const facts = { ...reason, host: joinHostAndPort(host, port) };
    const agent = this.agentFor(protocol, facts);
    const { request } = protocol === 'https:' ? https : http;
    const lookupLocal = options.host.toLowerCase() === 'localhost' ? { lookup: loopbackLookup } : {};
    const outgoing = request({ ...lookupLocal, ...options, agent });
    // The editor may replace the agent to use a proxy.
    outgoing.on('socket', (socket) => {
      watchOutgoing(socket, facts, this.ledger);
      this.track(socket, { host, port, reason });
    });
    return outgoing;
  }

  /** Returns a `fetch` that refuses redirects and opens a new connection for each request. */
  fetch(reason: (request: Request) => Reason): typeof fetch {
    return fetchWith((options, request) => this.request(options, reason(request)));
  }

  /** Connects to an address of `host`. Throws `LocalOnlyError` if the host is not allowed. */
  connect(port: number, address: string, host: string, reason: Reason, onConnect: () => void): Socket {
    this.assertAllowed(host, port, reason);
    const socket = net.connect(port, address, onConnect);
    watchOutgoing(socket, { ...reason, host: joinHostAndPort(host, port) }, this.ledger);
    this.track(socket, { host, port, reason });
    return socket;
  }

  /** Resolves a host name. Throws `LocalOnlyError` before it contacts the name server if the host is not allowed. */
  async lookup(host: string, port: number, reason: Reason): Promise<{ address: string; family: number }> {
    this.assertAllowed(host, port, reason);
    return lookup(host);
  }

  /**
   * Creates an HTTP server and records its connections. If `reason` is null, does not record them. This is for proxies, whose
   * clients are commands of this extension.
   */
  createServer(reason: Reason | null, options: http.ServerOptions, listener?: http.RequestListener): http.Server {
    const server = http.createServer(options, listener);
    if (reason !== null) server.on('connection', (socket) => watchIncoming(socket, reason, this.ledger));
    return server;
  }

  /** Records a process whose own connections are not observed. */
  began(reason: Reason, about: { isSandboxed?: boolean } = {}): EndRecord {
    return this.ledger.begin({ ...reason, direction: 'process', host: '', address: null, ...about }, null);
  }

  /** Records a refused host. */
  refused(host: string, port: number, reason: Reason): void {
    this.ledger.refuse({ ...reason, direction: 'out', host: joinHostAndPort(host, port), address: null });
  }

  /** Throws `LocalOnlyError` and records the refusal if the user does not allow a host. */
  assertAllowed(host: string, port: number, reason: Reason): void {
    if (this.isAllowed({ host, port, reason })) return;
    this.refused(host, port, reason);
    throw LocalOnlyError.forHost(joinHostAndPort(host, port));
  }

  /** Closes open connections that the user no longer allows, and records them as refused. Call it after `limits` has changed. */
  enforceLimits(): void {
    for (const [socket, connection] of this.open) {
      if (this.isAllowed(connection)) continue;
      const { host, port, reason } = connection;
      this.refused(host, port, reason);
      socket.destroy(LocalOnlyError.forHost(joinHostAndPort(host, port)));
    }
  }

  private isAllowed({ host, port, reason: { purpose } }: OpenConnection): boolean {
    const { isLocalOnly, allowed } = this.limits();
    // Other servers on this machine may forward the data that they receive.
    // So the user must allow each server that is not a model server.
    const isServerOfOthers = purpose === 'mcp' || purpose === 'signIn';
    return !isLocalOnly || isNamed(host, port, allowed) || (isLoopback(host) && !isServerOfOthers);
  }

  private track(socket: Socket, connection: OpenConnection): void {
    this.open.set(socket, connection);
    socket.once('close', () => this.open.delete(socket));
  }

  private agentFor(protocol: OutgoingRequest['protocol'], facts: OutgoingFacts): http.Agent {
    const agent = protocol === 'https:' ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
    const { ledger } = this;
    const create = agent.createConnection.bind(agent);
    // The first attempt starts before the request reports its socket.
    agent.createConnection = (options, callback) => {
      const socket = create(options, callback);
      if (socket instanceof net.Socket) watchOutgoing(socket, facts, ledger);
      return socket;
    };
    return agent;
  }
}

/** Resolves `localhost` to this machine, regardless of the name server. */
const loopbackLookup: LookupFunction = (_host, { all }, callback) => {
  if (all === true)
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  else callback(null, '127.0.0.1', 4);
};

/** The only network of this process. With a single instance, its ledger contains every connection. */
export const network = new Network(new ConnectionLedger(() => Date.now()));
