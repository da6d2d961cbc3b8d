import type { Clock } from '../../../utils/clock';
import { throwIfAborted } from '../../../utils/errors';
import { withTimeout } from '../../../utils/withTimeout';
import type { ShellToUse, TerminalHost } from './terminalPorts';

/** Milliseconds that the host may take; it promises an answer in 10 s. */
const shellTimeoutMs = 12_000;

/**
 * Resolves with the shell for a command without a terminal: that of the host, or that of this process if there is no host or it does not
 * answer in time. Rejects with `CancelledError` when the signal fires.
 */
export async function shellOf(
  host: Pick<TerminalHost, 'shellWithoutTerminal'> | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<ShellToUse> {
  const shell = host && (await withTimeout(host.shellWithoutTerminal(), shellTimeoutMs, clock, signal));
  throwIfAborted(signal);
  return shell ?? { env: process.env };
}
