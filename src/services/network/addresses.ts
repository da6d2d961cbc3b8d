import { BlockList, isIP } from 'node:net';

/** Addresses of this machine and of private networks. */
const privateAddresses = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const)
  privateAddresses.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
  ['64:ff9b::', 96],
] as const)
  privateAddresses.addSubnet(network, bits, 'ipv6');

export function isPrivateAddress({ address, family }: { address: string; family: number }): boolean {
  return privateAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

export function isIpAddress(host: string): boolean {
  return isIP(host) !== 0;
}

/**
 * Returns whether a host is this computer or in a private network. An address must be in a private range. A name must have no
 * dot, or a private ending such as `.local`.
 */
export function isNearby(host: string): boolean {
  const family = isIP(host);
  if (family !== 0) return isPrivateAddress({ address: host, family });
  return !host.includes('.') || /\.(local|lan|home|internal|home\.arpa)$/i.test(host);
}
