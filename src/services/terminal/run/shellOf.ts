import type { Clock } from '../../../utils/clock';
import { throwIfAborted } from '../../../utils/errors';
import { withTimeout } from '../../../utils/withTimeout';
import type { ShellToUse, TerminalHost } from './terminalPorts';

/** Time limit in milliseconds. The host is expected to answer within 10 s. */
const shellTimeoutMs = 12_000;

/**
 * Resolves with the shell for a command without a terminal: the host's, or the one of this process if there is no host or no answer in
 * time. Rejects with `CancelledError` when the signal fires.
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
