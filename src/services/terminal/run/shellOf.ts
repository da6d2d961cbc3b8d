import type { Clock } from '../../../utils/clock';
import { throwIfAborted } from '../../../utils/errors';
import { withTimeout } from '../../../utils/withTimeout';
import type { ShellToUse, TerminalHost } from './terminalPorts';

/** Time limit in milliseconds. The host should respond within 10 s. */
const shellTimeoutMs = 12_000;

/**
 * Resolves with the shell for a command without a terminal. If there is no host or it does not respond in time, uses the shell of
 * this process. Rejects with `CancelledError` when the signal fires.
 */
export async function findShell(
  host: Pick<TerminalHost, 'shellWithoutTerminal'> | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<ShellToUse> {
  const shell = host && (await withTimeout(host.shellWithoutTerminal(), shellTimeoutMs, clock, signal));
  throwIfAborted(signal);
  return shell ?? { env: process.env };
}
