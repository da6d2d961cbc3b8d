import type { ConnectionState } from '../../protocol/webviewEvents';
import { shownAddress } from '../../types/httpAddress';

/** Returns the connection state before the first check. */
export function initialConnection(baseUrl: string, demo: boolean): ConnectionState {
  return { state: 'unknown', baseUrl: shownAddress(baseUrl), version: null, message: null, demo };
}
