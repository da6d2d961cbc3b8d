import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHostProxy, type HostProxy } from './hostProxy';
import { proxyVariables, relayPort } from './proxyRelay';
import { withoutRetries } from './sandboxEnvironment';
import type { Denial, SandboxRequest } from './sandboxPorts';
import type { SandboxPolicy } from './sandboxPolicy';

export interface SandboxNetwork {
  policy: Pick<SandboxPolicy, 'proxyFolder' | 'proxyPort'>;
  variables: Record<string, string>;
  /** Returns the hosts that were refused so far. */
  refused(): Denial[];
  close(): Promise<void>;
}

/** Starts a proxy if at least one host is allowed. `sessionId` is null outside a session. */
export async function openNetwork(
  { hosts, command, sessionId }: Pick<SandboxRequest, 'hosts' | 'command'> & { sessionId: string | null },
  platform: NodeJS.Platform,
): Promise<SandboxNetwork> {
  if (hosts.length === 0) return noNetwork;
  const reason = { purpose: 'sandbox', detail: command, ...(sessionId !== null && { sessionId }) } as const;
  if (platform === 'darwin') {
    const proxy = await startHostProxy(null, hosts, reason);
    return createNetwork(proxy, { proxyFolder: null, proxyPort: proxy.port }, proxyVariables(proxy.port ?? 0), () =>
      proxy.close(),
    );
  }
  // A socket path has at most 107 bytes, so the socket is not in the storage folder.
  const folder = await mkdtemp(join(tmpdir(), 'oc-'));
  const proxy = await startHostProxy(join(folder, 'socket'), hosts, reason);
  return createNetwork(proxy, { proxyFolder: folder, proxyPort: null }, proxyVariables(relayPort), async () => {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  });
}

const noNetwork: SandboxNetwork = {
  policy: { proxyFolder: null, proxyPort: null },
  variables: withoutRetries,
  refused: () => [],
  close: () => Promise.resolve(),
};

function createNetwork(
  proxy: HostProxy,
  policy: SandboxNetwork['policy'],
  variables: Record<string, string>,
  close: () => Promise<void>,
): SandboxNetwork {
  const refused = (): Denial[] => [...proxy.refused].map((target) => ({ kind: 'network', target }));
  return { policy, variables, refused, close };
}
