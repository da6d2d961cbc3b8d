import { hostname } from 'node:os';
import { httpUrl, isOnThisMachine } from '../../../types/httpAddress';

/** Returns the name of the machine on which a server runs: the name of this computer, or the host in the address. */
export function machineName(baseUrl: string): string {
  return isOnThisMachine(baseUrl) ? hostname() : (httpUrl(baseUrl)?.hostname ?? baseUrl);
}
