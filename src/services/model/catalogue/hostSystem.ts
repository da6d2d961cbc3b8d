import { readFile } from 'node:fs/promises';
import { platform, release } from 'node:os';
import type { HostResult } from '../../../protocol/hostApi';

type HostSystem = Pick<HostResult<'ready'>, 'system' | 'windowsHost'>;

const names = { linux: 'linux', darwin: 'mac', win32: 'windows' } as const;

/** Returns the operating system of the extension host. It determines at which address Ollama is available. */
export async function hostSystem(): Promise<HostSystem> {
  const name = names[platform() as keyof typeof names] ?? 'other';
  if (name !== 'linux' || !isWsl(release())) return { system: name, windowsHost: null };
  const routes = await readFile('/proc/net/route', 'utf8').catch(() => '');
  return { system: 'wsl', windowsHost: defaultGateway(routes) };
}

/**
 * Returns whether a kernel belongs to the Windows Subsystem for Linux. The release of such a kernel contains the name Microsoft.
 */
export function isWsl(kernel: string): boolean {
  return /microsoft/i.test(kernel);
}

/**
 * Finds the IPv4 address of the default gateway. In WSL, the gateway is Windows
 * (https://learn.microsoft.com/windows/wsl/networking). `routes` is the content of `/proc/net/route` with the columns interface,
 * destination, gateway, …. Addresses are hexadecimal, lowest byte first. Returns null if there is no gateway.
 */
export function defaultGateway(routes: string): string | null {
  for (const line of routes.split('\n').slice(1)) {
    const [, destination, gateway = ''] = line.split('\t');
    if (destination !== '00000000' || !/^[0-9A-F]{8}$/i.test(gateway) || /^0+$/.test(gateway)) continue;
    return [...Buffer.from(gateway, 'hex')].toReversed().join('.');
  }
  return null;
}
