import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import type { ByteCount, ConnectionFacts, ConnectionLedger, EndRecord } from './connectionLedger';

export type OutgoingFacts = Omit<ConnectionFacts, 'direction' | 'address'>;

const watched = new WeakSet<Socket>();

/** Records each address to which a socket tries to connect. A name with several addresses may need several attempts. */
export function watchOutgoing(socket: Socket, facts: OutgoingFacts, ledger: ConnectionLedger): void {
  if (watched.has(socket)) return;
  watched.add(socket);
  const begin = (address: string | null): EndRecord => ledger.begin({ ...facts, direction: 'out', address }, countBytes(socket));
  // The socket of another agent, such as the proxy agent of the editor, is already connected.
  let end = socket.connecting || socket.remoteAddress === undefined ? null : begin(formatAddress(socket));
  let isConnected = end !== null;
  socket.on('connectionAttempt', (ip: string, port: number) => {
    end?.('failed');
    end = begin(joinHostAndPort(ip, port));
  });
  const failed = (): void => end?.('failed');
  socket.on('connectionAttemptFailed', failed);
  socket.on('connectionAttemptTimeout', failed);
  socket.once('connect', () => {
    isConnected = true;
    end ??= begin(formatAddress(socket));
  });
  socket.once('close', () => {
    // If there was no attempt, the name could not be resolved.
    end ??= begin(null);
    end(isConnected ? 'closed' : 'failed');
  });
}

/** Records a connection that a server has accepted. */
export function watchIncoming(
  socket: Socket,
  facts: Pick<ConnectionFacts, 'purpose' | 'detail'>,
  ledger: ConnectionLedger,
): void {
  const host = joinHostAndPort(socket.localAddress ?? '', socket.localPort ?? 0);
  const end = ledger.begin(
    { ...facts, direction: 'in', host, address: formatAddress(socket), sessionId: null },
    countBytes(socket),
  );
  socket.once('close', () => end('closed'));
}

function countBytes(socket: Socket): ByteCount {
  return () => ({ sent: socket.bytesWritten, received: socket.bytesRead });
}

function formatAddress({ remoteAddress, remotePort }: Socket): string | null {
  return remoteAddress === undefined ? null : joinHostAndPort(remoteAddress, remotePort ?? 0);
}

/** Returns `host:port`. An IPv6 address is in brackets. */
export function joinHostAndPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
