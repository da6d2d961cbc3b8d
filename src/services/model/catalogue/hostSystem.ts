import { readFile } from 'node:fs/promises';
import { platform, release } from 'node:os';
import type { HostResult } from '../../../protocol/hostApi';

type HostSystem = Pick<HostResult<'ready'>, 'system' | 'windowsHost'>;

const names = { linux: 'linux', darwin: 'mac', win32: 'windows' } as const;

/** Returns the system that this side runs on, as far as the way to Ollama differs. */
export async function hostSystem(): Promise<HostSystem> {
  const name = names[platform() as keyof typeof names] ?? 'other';
  if (name !== 'linux' || !isWsl(release())) return { system: name, windowsHost: null };
  const routes = await readFile('/proc/net/route', 'utf8').catch(() => '');
  return { system: 'wsl', windowsHost: defaultGateway(routes) };
}

/** Tells whether a kernel is one that Microsoft builds for the Windows Subsystem for Linux: they carry its name. */
export function isWsl(kernel: string): boolean {
  return /microsoft/i.test(kernel);
}

/**
 * Finds the default gateway; in WSL that is Windows (https://learn.microsoft.com/windows/wsl/networking).
 * @param routes `/proc/net/route`: columns interface, destination, gateway, …; addresses in hexadecimal, lowest byte
 * first
 * @returns an IPv4 address with dots; null if there is none
 */
export function defaultGateway(routes: string): string | null {
  for (const line of routes.split('\n').slice(1)) {
    const [, destination, gateway = ''] = line.split('\t');
    if (destination !== '00000000' || !/^[0-9A-F]{8}$/i.test(gateway) || /^0+$/.test(gateway)) continue;
    return [...Buffer.from(gateway, 'hex')].toReversed().join('.');
  }
  return null;
}
