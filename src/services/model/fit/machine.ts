import { hostname } from 'node:os';
import { httpUrl, isOnThisMachine } from '../../../types/httpAddress';

/** Returns the name of the machine that a server runs on: of this computer, or the host of the address. */
export function machineOf(baseUrl: string): string {
  return isOnThisMachine(baseUrl) ? hostname() : (httpUrl(baseUrl)?.hostname ?? baseUrl);
}
