import { LocalOnlyError } from '../../services/network/localOnly';
import { network, type Reason } from '../../services/network/network';
import { readHost, readPort } from '../../types/httpAddress';
import { phrase } from '../../utils/l10n';
import type { HttpServer, StdioServer } from '../config/serverConfig';
import { McpError } from '../mcpError';

/** Throws `McpError` if only local connections are allowed and the server would open other connections. */
export function assertStartAllowed(reach: StdioServer | HttpServer): void {
  if (!network.isLocalOnly) return;
  if (reach.kind === 'http') assertReachable(new URL(reach.url), { purpose: 'mcp', detail: '' });
  // In the sandbox, a program can access hosts only through the proxy of this process, which rejects all other hosts.
  else if (reach.sandbox !== true)
    throw new McpError(
      'denied',
      phrase(
        'The server was not started, because only local connections are allowed and its program would run outside the sandbox. To start it, select “Run in the sandbox” in its form.',
      ),
    );
}

/** Throws `McpError` if the user does not allow connections to an address. */
export function assertReachable(url: URL, reason: Reason): void {
  try {
    network.assertAllowed(readHost(url), readPort(url), reason);
  } catch (error) {
    if (!(error instanceof LocalOnlyError)) throw error;
    throw new McpError('denied', { local: error.userMessage, english: error.modelMessage }, { cause: error });
  }
}
