import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import net, { type LookupFunction, type Socket } from 'node:net';
import type { ConnectionPurpose } from '../../protocol/requests/connectionRequests';
import { ConnectionLedger, type EndRecord } from './connectionLedger';
import { fetchWith, type OutgoingRequest } from './fetchWith';
import { isLoopback, isNamed, LocalOnlyError, unlimited, type NetworkLimits } from './localOnly';
import { joined, watchIncoming, watchOutgoing, type OutgoingFacts } from './watchSocket';

export interface Reason {
  purpose: ConnectionPurpose;
  /** Request, server or command, for the user. */
  detail: string;
  /** Chat that it belongs to. Default: the one of `ConnectionLedger.inSession`. */
  sessionId?: string;
}

/** An outgoing connection that is open. */
interface OpenConnection {
  host: string;
  port: number;
  reason: Reason;
}

/** Slow networks need longer than the default 250 ms for the first address of a name. The last address has no limit. */
const agentOptions = { keepAlive: false, autoSelectFamilyAttemptTimeout: 3000 };

/**
 * Opens all connections of this process and accepts all others, records them, and refuses those that the user does not allow. The linter
 * forbids the modules of Node.js for it everywhere else.
 */
export class Network {
  /** Returns the limits of the user; set once at the start. */
  limits: () => NetworkLimits = () => unlimited;

  private readonly open = new Map<Socket, OpenConnection>();

  constructor(readonly ledger: ConnectionLedger) {}

  get isLocalOnly(): boolean {
    return this.limits().isLocalOnly;
  }

  /** Starts a request. Throws `LocalOnlyError`, which is recorded too. */
  request({ requestedHost, ...options }: OutgoingRequest, reason: Reason): http.ClientRequest {
    const { protocol, port } = options;
    const host = requestedHost ?? options.host;
    this.assertAllowed(host, port, reason);
    const facts = { ...reason, host: joined(host, port) };
    const agent = this.agentFor(protocol, facts);
    const { request } = protocol === 'https:' ? https : http;
    const lookupLocal = options.host.toLowerCase() === 'localhost' ? { lookup: loopbackLookup } : {};
    const outgoing = request({ ...lookupLocal, ...options, agent });
    // The editor may replace the agent, to use a proxy.
    outgoing.on('socket', (socket) => {
      watchOutgoing(socket, facts, this.ledger);
      this.track(socket, { host, port, reason });
    });
    return outgoing;
  }

  /** Returns a `fetch` that refuses redirects and sends each request over its own connection. */
  fetch(reason: (request: Request) => Reason): typeof fetch {
    return fetchWith((options, request) => this.request(options, reason(request)));
  }

  /** Connects to an address of `host`. Throws `LocalOnlyError`. */
  connect(port: number, address: string, host: string, reason: Reason, onConnect: () => void): Socket {
    this.assertAllowed(host, port, reason);
    const socket = net.connect(port, address, onConnect);
    watchOutgoing(socket, { ...reason, host: joined(host, port) }, this.ledger);
    this.track(socket, { host, port, reason });
    return socket;
  }

  /** Resolves a name. Throws `LocalOnlyError` without asking the name server. */
  async lookup(host: string, port: number, reason: Reason): Promise<{ address: string; family: number }> {
    this.assertAllowed(host, port, reason);
    return lookup(host);
  }

  /** Creates an HTTP server and records its connections. With null, it does not record them: the clients of a proxy are our own commands. */
  createServer(reason: Reason | null, options: http.ServerOptions, listener?: http.RequestListener): http.Server {
    const server = http.createServer(options, listener);
    if (reason !== null) server.on('connection', (socket) => watchIncoming(socket, reason, this.ledger));
    return server;
  }

  /** Records a process, whose own connections are not observed. */
  began(reason: Reason, about: { isSandboxed?: boolean } = {}): EndRecord {
    return this.ledger.begin({ ...reason, direction: 'process', host: '', address: null, ...about }, null);
  }

  /** Records a host that was refused. */
  refused(host: string, port: number, reason: Reason): void {
    this.ledger.refuse({ ...reason, direction: 'out', host: joined(host, port), address: null });
  }

  /** Throws `LocalOnlyError`, which is recorded, if the user does not allow a host. */
  assertAllowed(host: string, port: number, reason: Reason): void {
    if (this.isAllowed({ host, port, reason })) return;
    this.refused(host, port, reason);
    throw LocalOnlyError.forHost(joined(host, port));
  }

  /** Closes the open connections that the user no longer allows, and records that they were refused. Call it when `limits` changed. */
  enforceLimits(): void {
    for (const [socket, connection] of this.open) {
      if (this.isAllowed(connection)) continue;
      const { host, port, reason } = connection;
      this.refused(host, port, reason);
      socket.destroy(LocalOnlyError.forHost(joined(host, port)));
    }
  }

  private isAllowed({ host, port, reason: { purpose } }: OpenConnection): boolean {
    const { isLocalOnly, allowed } = this.limits();
    // A server on this machine may pass on what it gets, so one that is no model server has to be named.
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
    // The first attempt begins before the request reports its socket.
    agent.createConnection = (options, callback) => {
      const socket = create(options, callback);
      if (socket instanceof net.Socket) watchOutgoing(socket, facts, ledger);
      return socket;
    };
    return agent;
  }
}

/** `localhost` is this machine, whatever the name server says. */
const loopbackLookup: LookupFunction = (_host, { all }, callback) => {
  if (all === true)
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  else callback(null, '127.0.0.1', 4);
};

/** The network of this process. There is one, because nothing may open a connection that its ledger does not have. */
export const network = new Network(new ConnectionLedger(() => Date.now()));
